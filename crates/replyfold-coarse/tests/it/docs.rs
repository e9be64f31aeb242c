//! The reference page holds what the code says.

use replyfold_coarse::mapping_table;

#[test]
fn the_page_holds_the_mapping_of_the_code() {
    let page = include_str!("../../../../docs/wire/coarse.md");
    assert!(page.contains(&mapping_table()), "put this table into docs/wire/coarse.md:\n{}", mapping_table());
}
