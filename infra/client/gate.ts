/** `rundown gate`: waits until a run has ended, and fails if the run has new failures or missing tests. */
import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { GateVerdict } from '#shared/gate/gate-wire.ts';
import { explainForeignResponse, getData } from './answers.ts';
import type { CommandLine } from './options.ts';
import { chooseRunId } from './runs.ts';
import { makeService, type Service } from './service.ts';
import { NotFound, UsageFailure } from './settings/failure.ts';
import { isObject } from './settings/json.ts';
import { applyStyle } from './summary.ts';

type ReceivedVerdict = z.output<typeof GateVerdict>;

const WAIT_MINUTES = 30;
/** Pauses grow up to this. */
const LONGEST_PAUSE_MILLISECONDS = 15_000;
const FIRST_PAUSE_MILLISECONDS = 1000;

const RULES: Readonly<Record<string, string>> = {
  'new-failures': 'noNewFailures',
  'missing-tests': 'noMissingTests',
};

/** Returns the exit code: 0 only if the gate is open. */
export async function passGate(commandLine: CommandLine): Promise<number> {
  const minutes = Number(commandLine.text('wait') ?? WAIT_MINUTES);
  if (!(minutes >= 0)) throw new UsageFailure('--wait is not a number of minutes', 'For example: --wait 10');
  const rules = commandLine.list('rule').map((name) => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (rule === undefined)
      throw new UsageFailure(`There is no rule ${name}`, `Use ${Object.keys(RULES).join(' or ')}`);
    return rule;
  });
  const query = { 'rules[]': rules, base_run_id: commandLine.text('base') };
  const service = makeService(commandLine);
  const until = Date.now() + minutes * 60_000;
  const verdict = await askUntilJudged(until, () => askForVerdict(service, commandLine, query));
  const text = commandLine.has('json') ? JSON.stringify(verdict, null, 2) : formatVerdict(verdict);
  process.stdout.write(`${text}\n`);
  return verdict.state === 'passed' ? 0 : 1;
}

async function askUntilJudged(until: number, ask: () => Promise<ReceivedVerdict | NotFound>): Promise<ReceivedVerdict> {
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    const answer = await ask();
    const isOver = Date.now() + pause > until;
    if (answer instanceof NotFound) {
      // The first machine of the build may not have started.
      if (isOver) throw answer;
    } else if (answer.state !== 'waiting' || isOver) return answer;
    await setTimeout(pause);
  }
}

async function askForVerdict(
  service: Service,
  commandLine: CommandLine,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
): Promise<ReceivedVerdict | NotFound> {
  try {
    const runId = await chooseRunId(service, commandLine);
    const data = getData(await service.json(`/runs/${encodeURIComponent(runId)}/gate`, { query }));
    if (isVerdict(data)) return data;
  } catch (error) {
    if (error instanceof NotFound) return error;
    throw error;
  }
  throw explainForeignResponse();
}

const STATES: readonly unknown[] = ['waiting', 'passed', 'failed'] satisfies ReceivedVerdict['state'][];

const isVerdict = (value: unknown): value is ReceivedVerdict =>
  isObject(value) &&
  STATES.includes(value['state']) &&
  typeof value['runUrl'] === 'string' &&
  Array.isArray(value['reasons']);

const HEADS: Readonly<Record<ReceivedVerdict['state'], string>> = {
  passed: 'The gate is open',
  failed: 'The gate is closed',
  waiting: 'The gate is closed, because the run has not ended in time',
};

function formatVerdict({ state, reasons, runUrl, baseUrl }: ReceivedVerdict): string {
  const lines = reasons.flatMap(({ message, details }) => [
    `  ${makeVisibleLine(message)}`,
    ...details.map((detail) => `    ${makeVisibleLine(detail)}`),
  ]);
  return [
    applyStyle(state === 'passed' ? 'green' : 'red', HEADS[state]),
    ...(state === 'waiting' ? [] : lines),
    `  ${runUrl}`,
    ...(baseUrl ? [`  compared with ${baseUrl}`] : []),
  ].join('\n');
}
