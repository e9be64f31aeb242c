//! The work that changes to the hot path are judged by, one by one; the binary measures it beside the baselines.
#![expect(missing_docs, reason = "criterion makes a public function")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use replyfold::dialect::Dialect;
use replyfold_bench::inputs::Inputs;
use replyfold_bench::rows::{ROWS, Unit};
use std::time::Duration;

/// Events of the realistic log: small, so that a change is judged in a minute.
const EVENTS: usize = 20_000;

const WORK: [&str; 7] = ["parse/ours", "one-event/ours", "fold/ours", "parse-fold/ours", "write/ours", "coarse/ours", "media/ours"];

fn events(criterion: &mut Criterion) {
    let inputs = Dialect::ALL.map(|dialect| Inputs::new(dialect, EVENTS));
    for id in WORK {
        let row = ROWS.iter().find(|row| row.id == id).expect("the work is a row");
        let mut group = criterion.benchmark_group(id);
        group.sample_size(10).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
        for inputs in &inputs {
            let log = inputs.log(row.shape);
            group.throughput(match row.unit {
                Unit::Event => Throughput::Elements(log.events as u64),
                Unit::Media => Throughput::Bytes(log.media as u64),
            });
            let mut work = (row.work)(inputs);
            group.bench_function(BenchmarkId::from_parameter(inputs.dialect), |bencher| bencher.iter(&mut work));
        }
        group.finish();
    }
}

criterion_group!(benches, events);
criterion_main!(benches);
