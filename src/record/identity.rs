use sha2::{Digest, Sha256};

use super::row::Record;

/// Prefix of a card's hash in an anonymous report.
const HASHED: &str = "card-";

/// Identifies the card of a row. A UUID or its hash is unique among hosts; a PCI address or an empty name needs `host`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CardId<'a> {
    /// Name of the device: the model of the card.
    pub device: &'a str,
    /// Name of the host, where the card's name is not unique among hosts.
    pub host: &'a str,
    /// UUID of the card, its hash, or its PCI address; empty if unknown.
    pub name: &'a str,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Naming {
    Unknown,
    Address,
    Uuid,
    Hash,
}

fn naming(name: &str) -> Naming {
    match name {
        "" => Naming::Unknown,
        name if name.contains(':') => Naming::Address,
        name if name.starts_with(HASHED) => Naming::Hash,
        _ => Naming::Uuid,
    }
}

impl CardId<'_> {
    /// Whether both may be the same card. APIs and versions use the PCI address or the UUID, so only names of the same
    /// kind can differ. A missing host matches every host.
    #[must_use]
    pub fn may_be(&self, other: &Self) -> bool {
        let is_host = self.host == other.host || self.host.is_empty() || other.host.is_empty();
        let kinds = [self.name, other.name].map(naming);
        let is_comparable = kinds[0] == kinds[1] && kinds[0] != Naming::Unknown;
        self.device == other.device && is_host && (!is_comparable || self.name == other.name)
    }

    /// [`Self::may_be`], but `false` if only one of the two has a name.
    #[must_use]
    pub fn is_likely(&self, other: &Self) -> bool {
        let is_one_named = self.name.is_empty() != other.name.is_empty();
        self == other || !is_one_named && self.may_be(other)
    }
}

impl Record {
    /// The identity of the row's card.
    #[must_use]
    pub fn card_id(&self) -> CardId<'_> {
        let is_unique = matches!(naming(&self.card), Naming::Uuid | Naming::Hash);
        let host = if is_unique { "" } else { self.host.as_str() };
        CardId { device: &self.device, host, name: &self.card }
    }

    /// Whether both rows may be of the same card.
    #[must_use]
    pub fn may_be_of_one_card(&self, other: &Self) -> bool {
        let whole = |row: &Self| row.host.is_empty() || self.host.is_empty() || row.host == self.host;
        let is_one_name = !self.card.is_empty() && self.card_id() == other.card_id();
        // A card is in one host unless it was moved; then its UUID identifies it.
        is_one_name || whole(other) && self.card_id().may_be(&other.card_id())
    }

    /// Clears the host, replaces the card's UUID by its hash, and clears a PCI address: it has too few values for a
    /// hash, and does not identify a card without its host.
    pub fn anonymize(&mut self) {
        self.host.clear();
        match naming(&self.card) {
            Naming::Unknown | Naming::Hash => {}
            Naming::Address => self.card.clear(),
            Naming::Uuid => {
                let digest = Sha256::digest(format!("shaderbench card {}", self.card.to_ascii_lowercase()));
                self.card = digest.iter().take(8).fold(HASHED.to_owned(), |text, byte| format!("{text}{byte:02x}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(card: &str, host: &str) -> Record {
        Record { card: card.to_owned(), host: host.to_owned(), ..Record::default() }
    }

    #[test]
    fn only_names_of_one_kind_tell_cards_apart() {
        let same = |a: &str, b: &str| row(a, "").may_be_of_one_card(&row(b, ""));
        assert!(
            same("GPU-1", "GPU-1") && same("GPU-1", "0000:06:00.0") && same("", "GPU-1") && same("card-1", "GPU-1")
        );
        assert!(!same("GPU-1", "GPU-2") && !same("0000:06:00.0", "0000:07:00.0") && !same("card-1", "card-2"));
        let other = Record { device: "H100".to_owned(), ..Record::default() };
        assert!(!Record::default().may_be_of_one_card(&other));
    }

    #[test]
    fn an_address_is_of_one_host_and_a_uuid_of_any() {
        let same = |a: [&str; 2], b: [&str; 2]| row(a[0], a[1]).may_be_of_one_card(&row(b[0], b[1]));
        assert!(
            !same(["0000:06:00.0", "a"], ["0000:06:00.0", "b"]) && same(["0000:06:00.0", "a"], ["0000:06:00.0", ""])
        );
        assert!(same(["GPU-1", "a"], ["GPU-1", "b"]), "the card was moved");
        assert!(!same(["GPU-1", "a"], ["0000:06:00.0", "b"]) && same(["GPU-1", "a"], ["0000:06:00.0", "a"]));
        assert!(!same(["", "a"], ["", "b"]) && same(["", "a"], ["", "a"]));
        assert_eq!(row("GPU-1", "a").card_id(), row("GPU-1", "b").card_id());
        assert_ne!(row("0000:06:00.0", "a").card_id(), row("0000:06:00.0", "b").card_id());
    }

    #[test]
    fn an_unnamed_card_is_not_likely_a_named_one() {
        let is_likely = |a: &str, b: &str| row(a, "").card_id().is_likely(&row(b, "").card_id());
        assert!(is_likely("", "") && is_likely("GPU-1", "GPU-1") && is_likely("GPU-1", "0000:06:00.0"));
        assert!(!is_likely("", "GPU-1") && !is_likely("GPU-1", "GPU-2"));
    }

    #[test]
    fn an_anonymous_row_tells_cards_apart_and_names_neither_card_nor_host() {
        let anonymous = |card: &str| {
            let mut row = row(card, "node7");
            row.anonymize();
            let once = row.clone();
            row.anonymize();
            assert_eq!(row, once, "a second time changes nothing");
            row
        };
        let (a, b) = (anonymous("GPU-00112233-4455-6677-8899-aabbccddeeff"), anonymous("GPU-2"));
        assert_eq!(a, anonymous("gpu-00112233-4455-6677-8899-AABBCCDDEEFF"), "every API's row of the card");
        assert_eq!((a.card.len(), a.host.as_str()), (HASHED.len() + 16, ""));
        assert!(a.card != b.card && !a.card.contains("0011") && !a.may_be_of_one_card(&b));
        assert_eq!((anonymous("0000:06:00.0").card, anonymous("").card), (String::new(), String::new()));
    }
}
