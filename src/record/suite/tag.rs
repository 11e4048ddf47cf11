/// A topic of a family, which may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Measures the device's peaks.
    Peak,
    /// Answers workloads of the source articles.
    Article,
    /// Kernels that take most of the time of a language model.
    Llm,
    /// Parts of many programs: sums, scans, transposes, products.
    Primitive,
    /// Shows how access patterns and kinds of memory determine the speed.
    Memory,
    /// Shows what an operation costs besides its bytes and its arithmetic.
    Cost,
}

impl Tag {
    /// Every tag.
    pub const ALL: [Self; 6] = [Self::Peak, Self::Article, Self::Llm, Self::Primitive, Self::Memory, Self::Cost];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::Article => "article",
            Self::Llm => "llm",
            Self::Primitive => "primitive",
            Self::Memory => "memory",
            Self::Cost => "cost",
        }
    }

    /// Names of tags, for messages: `peak, article`.
    #[must_use]
    pub fn names(tags: &[Self]) -> String {
        tags.iter().map(|tag| tag.name()).collect::<Vec<_>>().join(", ")
    }

    /// Parses a [`Tag::name`]; the error is a sentence that lists all tags.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tag| tag.name() == text);
        found.ok_or_else(|| format!("there is no tag '{text}'; the tags are {}", Self::names(&Self::ALL)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_parsed_by_its_name_and_a_wrong_one_lists_all() {
        for tag in Tag::ALL {
            assert_eq!(Tag::parse(tag.name()), Ok(tag));
        }
        let all = "there is no tag 'lm'; the tags are peak, article, llm, primitive, memory, cost";
        assert_eq!(Tag::parse("lm"), Err(all.to_owned()));
    }
}
