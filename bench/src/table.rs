//! A table, for a terminal or a page.

/// Columns and rows of text.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this head.
    #[must_use]
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self { rows: vec![head.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Whether it has a head only.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    /// As Markdown, or with its columns aligned.
    #[must_use]
    pub fn show(&self, markdown: bool) -> String {
        if markdown {
            let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
            let head = self.rows.first().map(|head| line(head) + &line(&vec!["---".to_owned(); head.len()])).unwrap_or_default();
            return head + &self.rows.iter().skip(1).map(line).collect::<String>();
        }
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            cells.join("  ").trim_end().to_owned() + "\n"
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_table_is_shown_for_a_page_and_for_a_terminal() {
        let mut table = Table::new(["work", "ns"]);
        table.push(vec!["fold".into(), "40".into()]);
        assert_eq!(table.show(true), "| work | ns |\n| --- | --- |\n| fold | 40 |\n");
        assert_eq!(table.show(false), "work  ns\nfold  40\n");
    }
}
