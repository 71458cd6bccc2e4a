/** The output of `xcrun xcresulttool get test-results tests`: a tree of test plans, bundles, suites and cases. */
import * as z from 'zod';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundAttempt } from '#shared/reports/found.ts';
import {
  buildAttempt,
  buildTest,
  EXPECTED_FAILURE,
  FAILED,
  PASSED,
  PENDING,
  SKIPPED,
} from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { listField, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const XCRESULT_JSON: Format = {
  format: 'xcresult-json',
  recognizes: ({ members }) =>
    members.has('testNodes') && (members.has('devices') || members.has('testNodes.*.nodeType')),
  parse: parseXcresult,
};

const Node = z.object({
  name: textField,
  nodeType: textField,
  result: textField,
  duration: textField,
  tags: textsField,
  children: z.unknown().optional(),
});
type Node = z.output<typeof Node>;

const ENDINGS = new Map<string, Ending>([
  ['Passed', PASSED],
  ['Skipped', PENDING],
  ['Expected Failure', EXPECTED_FAILURE],
  ['unknown', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['Passed', 'Failed', 'Skipped']);

interface Place {
  readonly bundle: string;
  readonly suites: readonly string[];
  readonly group: string | null;
}

async function parseXcresult(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const { collector } = report;
  let nodes = 0;
  /** Whether a suite or bundle has failed, and whether a test shows that. */
  let isFailedRun = false;
  let hasFailed = false;
  const addCase = (node: Node, { bundle, suites, group }: Place, title: readonly string[]) => {
    const children = collector.readAll(Node, node.children);
    const find = (type: string) => children.filter(({ nodeType }) => nodeType === type);
    const devices = [...find('Device'), ...find('Test Plan Configuration')];
    // One test on several devices is a test of each of them.
    if (devices.length > 0) {
      for (const device of devices) {
        const name = devices.length > 1 ? device.name : group;
        addCase({ ...device, name: node.name, tags: node.tags }, { bundle, suites, group: name }, title);
      }
      return;
    }
    const values = find('Arguments');
    for (const value of values)
      addCase({ ...value, tags: node.tags }, { bundle, suites, group }, [...title, value.name]);
    if (values.length > 0) return;
    const repetitions = find('Repetition').slice(-REPORT_LIMITS.attemptsPerTest);
    const last = repetitions.at(-1) ?? node;
    const spec = [bundle, ...suites].filter(Boolean).join('/');
    const ending = ENDINGS.get(node.result || last.result) ?? FAILED;
    hasFailed ||= ending === FAILED;
    report.add(
      buildTest({
        group,
        spec,
        title,
        ending,
        ...(!PLAIN.has(node.result) && { raw: node.result.toLowerCase() }),
        duration: parseDuration(last.duration),
        errors: listFailures(last),
        tags: node.tags,
        earlier: repetitions.slice(0, -1).map((one) => buildRepetition(one, spec)),
        annotations:
          ending === PENDING ? listFailures(node).map(({ message }) => ({ type: 'skip', description: message })) : [],
      }),
    );
  };
  const addNode = (value: unknown, place: Place, cut: ReadonlySet<unknown>, depth: number) => {
    const node = collector.read(Node, value);
    if (!node || depth === REPORT_LIMITS.depth) return;
    if (node.nodeType === 'Test Case') {
      if (!cut.has(value)) addCase(node, place, [node.name]);
      return;
    }
    isFailedRun ||= node.result === 'Failed';
    const inner = {
      ...place,
      ...(node.nodeType.endsWith('bundle') && { bundle: node.name }),
      ...(node.nodeType === 'Test Suite' && { suites: [...place.suites, node.name] }),
    };
    for (const child of collector.listParts(node.children)) addNode(child, inner, cut, depth + 1);
  };
  const reader = new PieceReader(
    ['testNodes.*'],
    {
      get full() {
        return report.full;
      },
      take: (_, value, cut) => {
        nodes += 1;
        addNode(value, { bundle: '', suites: [], group: null }, cut, 0);
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && nodes === 0)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  if (isFailedRun && !hasFailed && reader.whole) report.runError('The run failed, but no test did');
  return report.finish({
    format: 'xcresult-json',
    framework: { type: 'xctest', version: null },
    truncated: report.isIncomplete(reader),
  });
}

const Nodes = listField(Node);

const listFailures = ({ children }: Node) =>
  Nodes.parse(children)
    .filter(({ nodeType }) => nodeType === 'Failure Message')
    .map(({ name }) => ({ message: name }));

const buildRepetition = (node: Node, spec: string): FoundAttempt =>
  buildAttempt(
    { ending: ENDINGS.get(node.result) ?? FAILED, duration: parseDuration(node.duration), errors: listFailures(node) },
    spec,
  );
