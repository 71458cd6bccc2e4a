import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReceivedImport } from '#infra/client/answers.ts';
import { decideExitCode } from '#infra/client/exit-verdict.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { cases } from '#test/harness/cases.ts';

/** Tools with the exit codes that say "tests failed", and what their commands need to run all tests. */
const TOOLS = {
  pytest: { format: 'junit', failed: [1], command: ['pytest'] },
  surefire: { format: 'junit', failed: [1], command: ['mvn', 'test', '-fae'] },
  nextest: { format: 'nextest-json', failed: [100], command: ['cargo', 'nextest', 'run', '--no-fail-fast'] },
  phpunit: { format: 'junit', failed: [1, 2], command: ['phpunit'] },
  go: { format: 'go-test', failed: [1], command: ['sh', '-c', 'go test -json ./... > go.jsonl'] },
} as const satisfies Readonly<
  Record<string, { format: ReportFormat; failed: readonly number[]; command: readonly string[] }>
>;
type Tool = keyof typeof TOOLS;
const TOOL_NAMES = Object.keys(TOOLS) as readonly Tool[];

const FAULTS = ['none', 'cut', 'error', 'problem', 'waiting', 'refused', 'old service'] as const;

const report = fc.record({
  tests: fc.array(fc.constantFrom('passed', 'failed', 'quarantined', 'quarantined'), { maxLength: 4 }),
  fault: fc.oneof({ weight: 12, arbitrary: fc.constant('none' as const) }, fc.constantFrom(...FAULTS)),
});

const seldom = <One>(value: fc.Arbitrary<One>) => fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, value);

const world = fc.record({
  tool: fc.constantFrom(...TOOL_NAMES),
  code: fc.constantFrom(0, 1, 1, 1, 2, 5, 100, 137),
  signal: seldom(fc.constantFrom('SIGTERM' as const, 'SIGINT' as const)),
  exitCodes: seldom(fc.constant(2)),
  stop: seldom(fc.constantFrom('--maxfail=1', '--bail', '-failfast', '--bail=0', '-x', '-vx', '-xvs', '-rx')),
  needed: fc.boolean(),
  reportProblem: seldom(fc.constantFrom('missing', 'old', 'changed', 'written by another command')),
  uploadProblem: seldom(fc.constantFrom('unreachable', '401', '500', 'one of two reports refused')),
  reports: fc.array(report, { maxLength: 3 }),
});
type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

const countOf = (tests: readonly string[], kind: string) => tests.filter((one) => one === kind).length;

function toImport(tool: Tool, { tests, fault }: World['reports'][number]): ReceivedImport {
  const failed = countOf(tests, 'failed');
  const quarantined = countOf(tests, 'quarantined');
  const { format } = TOOLS[tool];
  const file = {
    name: 'report',
    format,
    dialect: format === 'junit' ? tool : null,
    specs: 1,
    tests: { overall: tests.length, passes: 0, failures: failed, pending: quarantined, skipped: 0, flaky: 0 },
    attachments: 0,
    truncated: fault === 'cut',
    duplicates: 0,
    runErrors: fault === 'error' ? ['No database'] : [],
    warnings: [],
  };
  const nothing = { recorded: 0, overall: 0 };
  return {
    importId: 'i',
    projectId: 'p',
    state: fault === 'waiting' || fault === 'refused' ? fault : 'recorded',
    runId: 'r',
    runUrl: null,
    ciBuildId: 'b',
    createdAt: '',
    changedAt: '',
    problem: null,
    progress: { specs: nothing, tests: nothing },
    files: [file],
    ...(fault === 'old service'
      ? {}
      : {
          quarantine: {
            failures: failed + quarantined,
            quarantined,
            others: [],
            problems: fault === 'problem' ? ['The report could not be read'] : [],
          },
        }),
  };
}

const commandOf = ({ tool, stop, needed }: World): readonly string[] => {
  const all: readonly string[] = TOOLS[tool].command;
  const command = needed ? all : all.filter((word) => word !== '-fae' && word !== '--no-fail-fast');
  return stop ? [...command, stop] : command;
};

/** Written down from the promise: 0 only if it is certain that tests failed, and that each of them is quarantined. */
function oracle(one: World): number {
  // `-x` belongs to pytest, whose `-rx` names what to print.
  const harmless = [undefined, '--bail=0', '-rx', ...(one.tool === 'pytest' ? [] : ['-x', '-vx', '-xvs'])];
  const runsAll = (one.needed || !['surefire', 'nextest'].includes(one.tool)) && harmless.includes(one.stop);
  const codes: readonly number[] = one.exitCodes === undefined ? TOOLS[one.tool].failed : [one.exitCodes];
  const tests = one.reports.flatMap((of) => of.tests);
  const isCertain =
    one.signal === undefined &&
    one.reportProblem === undefined &&
    one.uploadProblem === undefined &&
    one.reports.length > 0 &&
    one.reports.every((of) => of.fault === 'none' && of.tests.length > 0) &&
    runsAll &&
    codes.includes(one.code);
  const isQuarantined = tests.includes('quarantined') && !tests.includes('failed');
  return isCertain && isQuarantined ? 0 : one.code;
}

describe('The exit code of `rundown run`', () => {
  test('becomes 0 only if each failure is quarantined and nothing is in doubt, over all combinations of failures and faults', () => {
    const seen = { excused: 0, kept: 0 };
    fc.assert(
      fc.property(world, (one) => {
        const { exitCode, objection } = decideExitCode({
          end: { code: one.code, signal: one.signal },
          command: commandOf(one),
          exitCodes: one.exitCodes === undefined ? [] : [one.exitCodes],
          reportProblem: one.reportProblem,
          uploadProblem: one.uploadProblem,
          imports: one.reports.map((of) => toImport(one.tool, of)),
        });
        expect(exitCode).toBe(oracle(one));
        expect(objection === undefined).toBe(exitCode === 0);
        seen[one.code !== 0 && exitCode === 0 ? 'excused' : 'kept'] += 1;
      }),
      { numRuns: cases(100_000, 3000) },
    );
    expect(seen.excused).toBeGreaterThan(0);
    expect(seen.kept).toBeGreaterThan(0);
  });

  test.each<[tool: string, format: ReportFormat, code: number, failures: number, becomes: number]>([
    ['robot', 'junit', 3, 3, 0],
    ['robot', 'junit', 2, 3, 2],
    ['robot', 'junit', 253, 3, 253],
    ['mocha-junit', 'junit', 4, 4, 0],
    ['mocha-junit', 'junit', 130, 4, 130],
    ['ctest', 'junit', 8, 1, 0],
    ['generic', 'junit', 101, 1, 101],
  ])(
    'of %s counts its failed tests where the tool does so: %s, %i with %i failures becomes %i',
    (tool, format, code, failures, becomes) => {
      const ofTool = toImport('pytest', {
        tests: Array.from({ length: failures }, () => 'quarantined'),
        fault: 'none',
      });
      const imports = [{ ...ofTool, files: ofTool.files.map((file) => ({ ...file, format, dialect: tool })) }];
      const { exitCode } = decideExitCode({
        end: { code, signal: undefined },
        command: [tool],
        exitCodes: [],
        reportProblem: undefined,
        uploadProblem: undefined,
        imports,
      });
      expect(exitCode).toBe(becomes);
    },
  );
});
