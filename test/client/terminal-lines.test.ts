/** Tests that names and messages of tests cannot forge what the client prints. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { printRecorded } from '#infra/client/reporters/print.ts';
import { CommandFailure } from '#infra/client/settings/failure.ts';
import { lossSummary, markdownSummary, terminalSummary } from '#infra/client/summary.ts';
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

test('The lines and summaries of an upload spell out control and directional characters of reports', () => {
  const tests = { overall: 1, passes: 0, failures: 1, flaky: 0, skipped: 0, pending: 0 };
  const file = {
    name: HOSTILE,
    format: 'junit' as const,
    dialect: null,
    specs: 1,
    tests,
    attachments: 0,
    truncated: false,
    duplicates: 0,
    runErrors: [HOSTILE],
    warnings: [{ line: 1, message: HOSTILE }],
  };
  const runUrl = 'https://rundown.example.com/runs/1';
  const progress = { specs: { recorded: 1, overall: 1 }, tests: { recorded: 1, overall: 1 } };
  const received = {
    importId: 'i1',
    projectId: 'p1',
    state: 'recorded' as const,
    runId: 'r1',
    runUrl,
    ciBuildId: null,
    createdAt: '2026-11-02T10:00:00.000Z',
    changedAt: '2026-11-02T10:00:00.000Z',
    problem: null,
    progress,
    files: [file],
  };
  const failure = new CommandFailure(HOSTILE, HOSTILE);
  const uploaded = { runUrl, runId: 'r1', imports: [received], refused: [failure] };
  const failed = { title: [HOSTILE], spec: HOSTILE, message: HOSTILE, instanceId: 'i', testId: 't' };
  const texts = [
    terminalSummary(uploaded),
    markdownSummary(uploaded, { tests: [failed], total: 1 }),
    lossSummary('Lost', failure),
  ];
  for (const text of texts) {
    expect(text).not.toMatch(FORBIDDEN);
    expect(text).toContain(SHOWN);
  }
});
