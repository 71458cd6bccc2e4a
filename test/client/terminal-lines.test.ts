/** Tests that names and messages of tests cannot forge what the client prints. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { printRecorded } from '#infra/client/reporters/print.ts';
import { CommandFailure } from '#infra/client/settings/failure.ts';
import { formatLossSummary, formatMarkdownSummary, formatTerminalSummary } from '#infra/client/summary.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const HOSTILE = 'ann\u202egnp\u2066.exe\u001b[2J\u0007\r\nowned';
const SHOWN = 'ann<U+202E>gnp<U+2066>.exe<U+0007> owned';
/** Control and directional characters, and the escape sequences of colors and links. */
const FORBIDDEN = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const FAILED = {
  group: 'default',
  spec: HOSTILE,
  title: [HOSTILE],
  message: `Error: ${HOSTILE}`,
  location: { file: 'a.ts', line: 1 },
};

const COUNTS = { overall: 1, passed: 0, failed: 1, flaky: 0, skipped: 0, pending: 0 };

test('The lines, annotations and summary of a reporter spell out control and directional characters of tests', async () => {
  const summary = join(await temporaryFolder(), 'summary.md');
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  vi.stubEnv('GITHUB_OUTPUT', '');
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
  const lines: string[] = [];
  const recorded = {
    runUrl: 'https://rundown.example.com/runs/1',
    counts: COUNTS,
    failed: [FAILED],
    notRecorded: 0,
    newFailures: { count: 1, mayBeMore: false, areOfRun: false, tests: [FAILED] },
    runProblems: [{ message: HOSTILE, failsRun: true }],
    problems: [HOSTILE],
    isIncomplete: false,
    waitsForMachines: 0,
    cancelled: `by ${HOSTILE}`,
    versionNotice: undefined,
  };
  printRecorded(recorded, '/checkout', (line) => lines.push(line));
  vi.unstubAllEnvs();
  for (const text of [...lines, await readFile(summary, 'utf8')]) expect(text).not.toMatch(FORBIDDEN);
  expect(lines.filter((line) => line.includes('ann<U+202E>gnp'))).toHaveLength(5);
  expect(lines.at(-2)).toContain(`Rundown  ${SHOWN}`);
});

const RUN_URL = 'https://rundown.example.com/runs/1';
const FILE = {
  name: HOSTILE,
  format: 'junit' as const,
  dialect: null,
  specs: 1,
  tests: { overall: 1, passes: 0, failures: 1, flaky: 0, skipped: 0, pending: 0 },
  attachments: 0,
  truncated: false,
  duplicates: 0,
  runErrors: [HOSTILE],
  warnings: [{ line: 1, message: HOSTILE }],
};
const received = (files: readonly (typeof FILE)[]) => ({
  importId: 'i1',
  projectId: 'p1',
  state: 'recorded' as const,
  runId: 'r1',
  runUrl: RUN_URL,
  ciBuildId: null,
  createdAt: '2026-11-02T10:00:00.000Z',
  changedAt: '2026-11-02T10:00:00.000Z',
  problem: null,
  progress: { specs: { recorded: 1, overall: 1 }, tests: { recorded: 1, overall: 1 } },
  files: [...files],
});

test('The counts of an upload add up to its total, in the words of the pages', () => {
  const tests = { overall: 10, passes: 4, failures: 3, flaky: 1, skipped: 2, pending: 1 };
  const uploaded = { runUrl: null, runId: null, imports: [received([{ ...FILE, tests }])], refused: [] };
  expect(formatTerminalSummary(uploaded)).toContain('10 tests, 3 passed, 3 failed, 1 flaky, 2 did not run, 1 skipped');
  expect(formatMarkdownSummary(uploaded, undefined)).toContain('| 10 | 3 | 3 | 1 | 2 | 1 |');
});

test('The lines and summaries of an upload spell out control and directional characters of reports', () => {
  const failure = new CommandFailure(HOSTILE, HOSTILE);
  const uploaded = { runUrl: RUN_URL, runId: 'r1', imports: [received([FILE])], refused: [failure] };
  const failed = { title: [HOSTILE], spec: HOSTILE, message: HOSTILE, instanceId: 'i', testId: 't' };
  const texts = [
    formatTerminalSummary(uploaded),
    formatMarkdownSummary(uploaded, { tests: [failed], total: 1 }),
    formatLossSummary('Lost', failure),
  ];
  for (const text of texts) {
    expect(text).not.toMatch(FORBIDDEN);
    expect(text).toContain(SHOWN);
  }
});
