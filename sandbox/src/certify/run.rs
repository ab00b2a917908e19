//! A run: each scenario is prepared, the client does its task, what was seen is judged.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use super::report::{self, Verdict};
use super::scenario::{AMOUNT, Before, CURRENCY, SCENARIOS, Scenario, Seen, Task, named};
use super::{Paid, Step};
use crate::faults::rules;
use crate::service::sandbox::{Sandbox, Shared};
use crate::state::ledger::Effect;
use crate::state::orders::NewOrder;
use crate::state::payments::Made;
use crate::util::json::{Json, object};
use crate::util::money::Money;
use crate::webhook::message::{Form, forged};

const LOOKS_AGAIN: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
pub struct Options {
    /// Only this scenario; can be repeated
    #[arg(long, value_name = "NAME", value_parser = known)]
    scenario: Vec<&'static Scenario>,

    /// Leave this scenario out; can be repeated
    #[arg(long, value_name = "NAME", value_parser = known)]
    skip: Vec<&'static Scenario>,

    /// The client has no refunds: their scenarios are left out
    #[arg(long)]
    no_refunds: bool,

    /// Write certificate.html, certificate.txt and certificate.xml (JUnit) to this folder
    #[arg(long, value_name = "DIR")]
    report_dir: Option<PathBuf>,

    /// The seconds that the command may take for a scenario
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,

    /// Run for each scenario, with its task in environment variables; without it a person drives the client
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl Options {
    /// Nobody reads the start line.
    pub fn has_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Why a scenario is left out.
    fn left_out(&self, scenario: &Scenario) -> Option<&'static str> {
        let is_skipped = self.skip.iter().any(|skipped| skipped.name == scenario.name);
        let no_refunds = self.no_refunds && scenario.task == Task::Refund;
        if is_skipped { Some("--skip") } else { no_refunds.then_some("this client has no refunds") }
    }
}

fn known(name: &str) -> Result<&'static Scenario, String> {
    let names = || SCENARIOS.iter().map(|scenario| scenario.name).collect::<Vec<_>>().join(", ");
    named(name).ok_or_else(|| format!("the scenarios are {}", names()))
}

/// An error if a scenario was not passed. `variables`: the address and the keys, for the command. `ready` is called when
/// the first task is there.
pub async fn run(
    sandbox: &Sandbox,
    options: &Options,
    variables: &[(String, String)],
    ready: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let mut ready = Some(ready);
    let chosen: Vec<&Scenario> = match options.scenario.is_empty() {
        true => SCENARIOS.iter().collect(),
        false => options.scenario.clone(),
    };
    let mut verdicts = Vec::new();
    for scenario in chosen {
        if let Some(why) = options.left_out(scenario) {
            verdicts.push(Verdict::skipped(scenario, why));
            continue;
        }
        let started = Instant::now();
        prepare(sandbox, scenario)?;
        ready.take().map_or(Ok(()), |ready| ready())?;
        let findings = match options.has_command() {
            true => drive(sandbox, options, variables).await?,
            false => ask(sandbox).await,
        };
        let verdict = Verdict::of(scenario, &seen(sandbox, scenario), findings, started.elapsed());
        // The report, which begins with what was refused, follows.
        eprintln!("paysvc-sandbox: certify: {} {}", verdict.word(), scenario.name);
        verdicts.push(verdict);
    }
    *sandbox.desk.step() = None;
    print!("{}", report::text(&verdicts));
    if let Some(folder) = &options.report_dir {
        report::write(folder, &verdicts)?;
    }
    match verdicts.iter().all(Verdict::is_fine) {
        true => Ok(()),
        false => Err(format!("certify: {}", report::sum(&verdicts))),
    }
}

fn reference(scenario: &Scenario) -> String {
    format!("{}CERTIFY-{}", scenario.prefix, scenario.name.to_uppercase().replace('_', "-"))
}

fn prepare(sandbox: &Sandbox, scenario: &'static Scenario) -> Result<(), String> {
    let problem = |what: String| format!("certify: {}: {what}", scenario.name);
    sandbox.reset();
    let reference = reference(scenario);
    let mut shared = sandbox.lock();
    let Shared { state, faults, .. } = &mut *shared;
    let order = |amount: &str, currency: &str| -> Result<NewOrder, String> {
        let amount = Money::parse(amount).map_err(|error| problem(error.to_string()))?;
        Ok(NewOrder { currency: Some(currency.to_string()), ..NewOrder::of(&reference, amount) })
    };
    let made = match scenario.before {
        Before::Nothing => None,
        Before::Unpaid => Some((order(AMOUNT, CURRENCY)?, None)),
        Before::Declined => Some((order(AMOUNT, CURRENCY)?, Some(Made::Pending))),
        Before::Paid(amount, currency) => Some((order(amount, currency)?, Some(Made::Paid))),
    };
    if let Some((order, payment)) = made {
        state.create_order(order).map_err(|error| problem(format!("{error:?}")))?;
        if let Some(payment) = payment {
            let order = state.make_payment(&reference, payment, None).map_err(|error| problem(format!("{error:?}")))?;
            let payment = order.payments.last().map(|payment| payment.reference.clone()).unwrap_or_default();
            if matches!(scenario.before, Before::Declined) {
                state.decline_payment(&payment).map_err(|error| problem(format!("{error:?}")))?;
            }
        }
    }
    if let Some(rule) = scenario.rule {
        let rule = Json::parse(rule.as_bytes()).map_err(problem)?;
        let rule = rules::parse(&rule, sandbox.speaks_tls(), &sandbox.router.paths())
            .map_err(|error| problem(error.message))?;
        faults.add(rule);
    }
    let event = match scenario.task {
        Task::Webhook => {
            let message = forged(state, &object! { "order": &reference }, Form::default())
                .map_err(|error| problem(error.message))?;
            Some(message.body)
        }
        _ => None,
    };
    drop(shared);
    *sandbox.desk.step() = Some(Step {
        scenario: scenario.name,
        task: scenario.task.word(),
        instruction: scenario.task.instruction(),
        reference,
        amount: AMOUNT,
        currency: CURRENCY,
        card: scenario.card,
        event,
        told: None,
    });
    Ok(())
}

fn seen<'a>(sandbox: &'a Sandbox, scenario: &Scenario) -> Seen<'a> {
    let told: Option<Paid> = sandbox.desk.step().as_ref().and_then(|step| step.told);
    let reference = reference(scenario);
    let shared = sandbox.lock();
    let requests = match Json::parse(shared.requests.json(usize::MAX, |_| true).as_bytes()) {
        Ok(Json::Array(requests)) => requests,
        _ => Vec::new(),
    };
    let of_order = |entry: &&crate::state::ledger::Entry| entry.effect == Effect::ChargeMade && entry.key == reference;
    let charges = shared.state.ledger.entries.iter().filter(of_order).count();
    Seen { router: &sandbox.router, requests, charges, told }
}

/// Prints the task and waits until a person, or a program, gives a conclusion.
async fn ask(sandbox: &Sandbox) -> Vec<String> {
    if let Some(step) = sandbox.desk.step().as_ref() {
        println!("{}", step.json());
    }
    let is_told = || sandbox.desk.step().as_ref().is_none_or(|step| step.told.is_some());
    while !is_told() {
        tokio::time::sleep(LOOKS_AGAIN).await;
    }
    Vec::new()
}

/// Runs the command; what is wrong with how it ended.
async fn drive(sandbox: &Sandbox, options: &Options, variables: &[(String, String)]) -> Result<Vec<String>, String> {
    let mut child = start(sandbox, options, variables)?;
    let give_up = Instant::now() + Duration::from_secs(options.patience);
    loop {
        let status = child.try_wait().map_err(|error| format!("certify: {error}"))?;
        match status {
            Some(status) if status.success() => return Ok(Vec::new()),
            Some(status) => return Ok(vec![format!("The command ended with {status}.")]),
            None if Instant::now() >= give_up => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(vec![format!("The command had not ended after {} seconds.", options.patience)]);
            }
            None => tokio::time::sleep(LOOKS_AGAIN).await,
        }
    }
}

fn start(sandbox: &Sandbox, options: &Options, variables: &[(String, String)]) -> Result<Child, String> {
    let step = sandbox.desk.step().clone().ok_or("certify: no scenario was prepared")?;
    let (program, arguments) = options.command.split_first().ok_or("certify: there is no command")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).envs(variables.iter().map(|(name, value)| (name, value)));
    for (name, value) in [
        ("SCENARIO", step.scenario),
        ("TASK", step.task),
        ("REFERENCE", &step.reference),
        ("AMOUNT", step.amount),
        ("CURRENCY", step.currency),
        ("CARD", step.card),
        ("EVENT", step.event.as_deref().unwrap_or_default()),
        ("RESULT_URL", &format!("{}/sandbox/certify/result", sandbox.base_url)),
    ] {
        command.env(format!("CERTIFY_{name}"), value);
    }
    command.spawn().map_err(|error| format!("certify: {program}: {error}"))
}
