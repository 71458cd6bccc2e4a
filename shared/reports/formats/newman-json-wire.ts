/** The JSON reporter of Newman. It holds bodies and secrets of requests, of which only assertions and errors are kept. */
import * as z from 'zod';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import {
  addRepetition,
  buildTest,
  type ErrorTexts,
  FAILED,
  joinRows,
  PASSED,
  PENDING,
} from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { flagField, numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration, toEpoch } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const NEWMAN_JSON: Format = {
  format: 'newman-json',
  recognizes: ({ members }) =>
    members.has('collection.item') || (members.has('collection') && members.has('run.executions')),
  parse: parseNewman,
};

const Failure = orNull(z.object({ name: textField, message: textField, code: textField, stack: textField }));
const Assertion = z.object({ assertion: textField, skipped: flagField, error: Failure });
const Script = z.object({ error: Failure });

const Execution = z.object({
  item: orNull(z.object({ id: textField, name: textField })),
  cursor: orNull(z.object({ iteration: numberField })),
  response: orNull(z.object({ responseTime: numberField })),
  assertions: z.unknown().optional(),
  requestError: Failure,
  prerequestScript: z.unknown().optional(),
  testScript: z.unknown().optional(),
});
type Execution = z.output<typeof Execution>;

const Item = z.object({ id: textField, name: textField, item: z.unknown().optional() });

async function parseNewman(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const { collector } = report;
  const folders = new Map<string, readonly string[]>();
  const tests = new Map<string, FoundTest[]>();
  let rows = 0;
  let executions = 0;
  let spec = '';
  let startedAt: unknown;
  let iteration = 0;
  const copies = new Map<string, number>();
  const addItem = (value: unknown, path: readonly string[]) => {
    const item = collector.read(Item, value);
    if (!item || path.length === REPORT_LIMITS.depth || folders.size === REPORT_LIMITS.testsPerFile) return;
    folders.set(item.id, path);
    for (const child of collector.listParts(item.item)) addItem(child, [...path, item.name]);
  };
  const addTest = (execution: Execution, name: string, ending: Ending, error?: ErrorTexts) => {
    if (!report.hasRoom(rows, MOST_WAITING)) return;
    rows += 1;
    const { id = '', name: request = '' } = execution.item ?? {};
    const title = [...(folders.get(id) ?? []), request, name].map(replaceUnstableParts);
    const key = JSON.stringify([id, title]);
    const copy = (copies.get(key) ?? 0) + 1;
    copies.set(key, copy);
    const last = copy > 1 ? `${title.at(-1)} (${copy})` : (title.at(-1) ?? '');
    const test = buildTest({
      spec,
      title: [...title.slice(0, -1), last],
      ending,
      duration: roundDuration(execution.response?.responseTime ?? 0),
      errors: error ? [error] : [],
    });
    const tries = tests.get(JSON.stringify([key, copy])) ?? [];
    tests.set(JSON.stringify([key, copy]), tries);
    addRepetition(tries, collector.trim(test));
  };
  const addExecution = (execution: Execution) => {
    executions += 1;
    // Equal names of one iteration are different tests. Those of further iterations are attempts.
    if ((execution.cursor?.iteration ?? 0) !== iteration) copies.clear();
    iteration = execution.cursor?.iteration ?? 0;
    if (execution.requestError) addTest(execution, '(request)', FAILED, toError(execution.requestError));
    const scripts = [
      ['(pre-request script)', execution.prerequestScript],
      ['(test script)', execution.testScript],
    ] as const;
    for (const [name, all] of scripts) {
      const failure = collector.readAll(Script, all).find(({ error }) => error)?.error;
      if (failure) addTest(execution, name, FAILED, toError(failure));
    }
    for (const { assertion, skipped, error } of collector.readAll(Assertion, execution.assertions)) {
      if (skipped) addTest(execution, assertion, PENDING);
      else if (error) addTest(execution, assertion, FAILED, toError(error));
      else addTest(execution, assertion, PASSED);
    }
  };
  const reader = new PieceReader(
    ['collection.item.*', 'collection.info.name', 'run.timings.started', 'run.executions.*', 'run.error'],
    {
      full: false,
      take: (path, value, cut) => {
        if (path === 'collection.info.name') spec = textField.parse(value);
        else if (path === 'run.timings.started') startedAt = value;
        else if (cut.has(value)) return;
        else if (path === 'collection.item.*') addItem(value, []);
        else if (path === 'run.error') {
          const failure = Failure.parse(value);
          if (failure) report.runError(failure.message || failure.code);
        } else {
          const execution = collector.read(Execution, value);
          if (execution) addExecution(execution);
        }
      },
    },
    input,
  );
  await reader.read(text);
  if (executions === 0 && !reader.whole)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  for (const tries of tests.values()) report.addKept(joinIterations(tries, spec));
  return report.finish({
    format: 'newman-json',
    framework: { type: 'newman', version: null },
    startedAt: toEpoch(numberField.parse(startedAt), input.now),
    truncated: report.isIncomplete(reader),
  });
}

const MOST_WAITING = 2 * REPORT_LIMITS.testsPerFile;

const toError = ({ message, code, stack, name }: NonNullable<z.output<typeof Failure>>): ErrorTexts => ({
  message: message || code,
  stack,
  type: name,
});

/** Newman fails if one iteration fails. */
function joinIterations(tries: readonly FoundTest[], spec: string): FoundTest {
  const failure = tries.findLast(({ outcome }) => outcome === 'failed');
  const test = joinRows(failure ? [...tries.filter((one) => one !== failure), failure] : tries);
  return { ...test, spec };
}
