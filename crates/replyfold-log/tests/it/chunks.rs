//! How a log is cut into reads and files says nothing of what is in it (`reduction.md` section 1).

use crate::corpus::{fixtures, lines, read};
use proptest::prelude::*;
use replyfold_log::{LogReader, Record};
use replyfold_message::Msg;
use replyfold_reduce::SessionReducer;
use std::io::{self, Read};
use std::sync::LazyLock;

/// Gives at most as many bytes at a time as the sizes say, one size after the other, over and over.
struct Cut {
    bytes: Vec<u8>,
    at: usize,
    sizes: Vec<usize>,
    turn: usize,
}

impl Read for Cut {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        let rest = &self.bytes[self.at..];
        let given = rest.len().min(size).min(out.len());
        out[..given].copy_from_slice(&rest[..given]);
        self.at += given;
        Ok(given)
    }
}

fn records(bytes: &[u8], sizes: Vec<usize>) -> Vec<Record> {
    LogReader::new(Cut { bytes: bytes.to_vec(), at: 0, sizes, turn: 0 }).map(Result::unwrap).collect()
}

/// Small logs of each framing and packing, sound ones and one with everything wrong.
static LOGS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let file = |path: &str| read(&fixtures().join("conformance").join(path)).into_bytes();
    let java = file("java/logs/confirm-partial.events.jsonl");
    let sse = file("python/service/svc_plain.sse");
    let array = format!("[{}]", lines(std::str::from_utf8(&java).unwrap()).join(",\n")).into_bytes();
    let broken =
        [&java[..200], b"\xff\xfe\n{\"type\":\n\r\n[1,2]\n{\"seq\":1,\"event\":{\"type\":\"AGENT_END\",\"replyId\":\"r\"}}\n", &java[..90]]
            .concat();
    let mut gzip = flate2::read::GzEncoder::new(&sse[..], flate2::Compression::fast());
    let mut packed = Vec::new();
    gzip.read_to_end(&mut packed).unwrap();
    let zstd = zstd::encode_all(&java[..], 1).unwrap();
    vec![java, sse, array, broken, packed, zstd]
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_records_do_not_depend_on_the_sizes_of_the_reads(log in 0..6_usize, sizes in proptest::collection::vec(1..70_usize, 1..6)) {
        let bytes = &LOGS[log];
        let whole = records(bytes, vec![usize::MAX]);
        prop_assert!(whole.len() > 3);
        prop_assert_eq!(records(bytes, sizes), whole);
    }

    /// A service that starts a new file now and then; one fold reads them all.
    #[test]
    fn the_messages_do_not_depend_on_the_files_of_a_log(cuts in proptest::collection::vec(0..40_usize, 0..4)) {
        let text = read(&fixtures().join("conformance/python/service/svc_tools_two_rounds.events.jsonl"));
        let lines = lines(&text);
        let fold = |files: &[&[&str]]| {
            let mut session = SessionReducer::new();
            for file in files.iter().filter(|file| !file.is_empty()) {
                for record in records(file.join("\n").as_bytes(), vec![usize::MAX]) {
                    session.apply(record.event().unwrap());
                }
            }
            session.messages().cloned().collect::<Vec<Msg>>()
        };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(lines.len())).collect();
        cuts.sort_unstable();
        let mut files = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([lines.len()]) {
            files.push(&lines[from..cut]);
            from = cut;
        }
        prop_assert_eq!(fold(&files), fold(&[&lines]));
    }
}
