//! `replyfold-bench`: measures every row side by side and says how far each target is.

use replyfold_bench::measure::measure;
use replyfold_bench::options::{Options, USAGE};
use replyfold_bench::{gigabyte, machine, peers, report};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == gigabyte::SPAWNED) {
        return gigabyte::spawned(&args.split_off(1));
    }
    if args.iter().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match Options::parse(args) {
        Ok(options) if options.list => {
            options.wanted().iter().for_each(|row| println!("{}", row.id));
            ExitCode::SUCCESS
        }
        Ok(options) => {
            run(&options);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) {
    println!("Machine: {}. Realistic log: {} events; medians of {} rounds.\n", machine::name(), options.events, options.rounds);
    let mut results = measure(&options.wanted(), &options.dialects, options.events, options.rounds);
    let mut remarks = Vec::new();
    if options.peers {
        match peers::agentscope() {
            Ok(nanos) => options.dialects.iter().for_each(|dialect| results.set(peers::AGENTSCOPE, *dialect, nanos)),
            Err(problem) => remarks.push(format!("AgentScope Python was not measured: {problem}")),
        }
    }
    let rows = report::rows(&results, &options.dialects);
    if !rows.is_empty() {
        println!("Nanoseconds an event where nothing else is said.\n\n{}", rows.show(options.markdown));
    }
    let targets = report::targets(&results, &options.dialects);
    if !targets.is_empty() {
        println!("{}", targets.show(options.markdown));
    }
    if options.gigabyte {
        for dialect in &options.dialects {
            match gigabyte::run(*dialect, &options.replyfold, options.rounds) {
                Ok(table) => println!("A log of 1 GB in the {dialect} dialect, warm cache.\n\n{}", table.show(options.markdown)),
                Err(problem) => remarks.push(format!("the log of 1 GB was not measured: {problem}")),
            }
        }
    }
    for remark in remarks {
        println!("{remark}");
    }
}
