use std::borrow::Cow;

use super::Api;

/// The name of the compiler inside wgpu.
pub const BUILT_IN: &str = "naga";

/// The compiler's name in rows that the command given to `--against` measured.
pub const AGAINST: &str = "against";

/// An API and the compiler of its kernels. Rows of different toolchains are kept apart.
#[derive(Debug, Clone, Copy)]
pub struct Toolchain<'a> {
    /// The API.
    pub api: Api,
    /// The compiler's name as the row has it: empty or [`BUILT_IN`] for wgpu's own compiler.
    pub compiler: &'a str,
}

impl<'a> Toolchain<'a> {
    /// The compiler's name; empty for wgpu's own, which rows do not name.
    #[must_use]
    pub fn foreign(&self) -> &'a str {
        if self.compiler == BUILT_IN { "" } else { self.compiler }
    }

    /// Whether the command given to `--against` measured the rows.
    #[must_use]
    pub fn is_against(&self) -> bool {
        self.compiler == AGAINST
    }

    /// For prose and headings: the API, or the compiler that the rows name.
    #[must_use]
    pub fn title(&self) -> Cow<'a, str> {
        match (self.compiler, self.api) {
            ("", api) => api.title().into(),
            (compiler, Api::Vulkan) => compiler.into(),
            (compiler, api) => format!("{compiler} ({})", api.title()).into(),
        }
    }
}

impl PartialEq for Toolchain<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.api, self.foreign()) == (other.api, other.foreign())
    }
}

impl Eq for Toolchain<'_> {}

impl From<Api> for Toolchain<'_> {
    fn from(api: Api) -> Self {
        Self { api, compiler: "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unnamed_compiler_is_the_built_in_one() {
        let toolchain = |api, compiler| Toolchain { api, compiler };
        assert_eq!(toolchain(Api::Vulkan, ""), toolchain(Api::Vulkan, BUILT_IN));
        assert_ne!(toolchain(Api::Vulkan, ""), toolchain(Api::Vulkan, "tint"));
        assert_ne!(toolchain(Api::Vulkan, "tint"), toolchain(Api::Gl, "tint"));
        let titles = [(Api::Vulkan, ""), (Api::Vulkan, BUILT_IN), (Api::Vulkan, "tint"), (Api::Gl, "tint")];
        let titles = titles.map(|(api, compiler)| toolchain(api, compiler).title().into_owned());
        assert_eq!(titles, ["Vulkan", "naga", "tint", "tint (OpenGL)"]);
    }
}
