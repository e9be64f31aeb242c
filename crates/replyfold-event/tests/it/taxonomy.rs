//! The taxonomy itself.

use replyfold_event::{EventType, ExtensionType};
use std::collections::BTreeSet;

#[test]
fn taxonomy_has_exactly_27_types_and_five_extensions_with_distinct_words() {
    let words: BTreeSet<&str> = EventType::ALL.iter().map(|t| t.as_str()).chain(ExtensionType::ALL.iter().map(|t| t.as_str())).collect();
    assert_eq!((EventType::ALL.len(), ExtensionType::ALL.len(), words.len()), (27, 5, 32));
}

#[test]
fn words_lead_back_to_their_type() {
    for event_type in EventType::ALL {
        assert_eq!(EventType::from_wire(event_type.as_str()), Some(event_type));
        assert_eq!(ExtensionType::from_wire(event_type.as_str()), None);
    }
    for extension in ExtensionType::ALL {
        assert_eq!(ExtensionType::from_wire(extension.as_str()), Some(extension));
        assert_eq!(EventType::from_wire(extension.as_str()), None);
    }
    assert_eq!(EventType::from_wire("text_block_delta"), None);
}
