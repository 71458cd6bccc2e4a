/** Sends recorded requests of the real reporter to a deployed service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';

const FIXTURES = join(PROJECT, 'test/samples');

const Recording = z.array(
  z.object({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown(),
    answer: z.record(z.string(), z.string()).default({}),
  }),
);

export interface Account {
  readonly projectId: string;
  readonly recordKey: string;
  readonly ciBuildId: string;
}

/** Sends all recorded requests in order, and returns the run id. Throws on the first refusal. */
export const replay = (recordUrl: string, account: Account, ask: typeof fetch = fetch): Promise<string> =>
  send(recordUrl, account, { ask });

/** Starts the run without reporting a test. */
export const begin = (recordUrl: string, account: Account): Promise<string> => send(recordUrl, account, { count: 1 });

interface Sending {
  /** Default: all. */
  readonly count?: number;
  readonly ask?: typeof fetch;
}

async function send(recordUrl: string, account: Account, { count, ask = fetch }: Sending): Promise<string> {
  const names = new Map<string, string>(Object.entries(account));
  const fill = (text: string) => text.replaceAll(/\{\{([^}]+)\}\}/g, (whole, name: string) => names.get(name) ?? whole);
  const requests = Recording.parse(JSON.parse(await readFile(join(FIXTURES, 'playwright-recording.json'), 'utf8')));
  for (const { method, path, headers, body, answer } of requests.slice(0, count)) {
    const address = fill(path);
    const text = fill(typeof body === 'string' ? body : JSON.stringify(body));
    const response = await ask(address.startsWith('/') ? `${recordUrl}${address}` : address, {
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
      body: headers['content-encoding'] === 'gzip' ? gzipSync(text) : text,
    });
    const answered = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${answered}`);
    const fields = Object.keys(answer).length > 0 ? z.record(z.string(), z.unknown()).parse(JSON.parse(answered)) : {};
    for (const [field, name] of Object.entries(answer)) names.set(name.slice(2, -2), `${fields[field]}`);
  }
  return names.get('runId') ?? '';
}

export interface Counts {
  readonly overall: number;
  readonly passes: number;
  readonly failures: number;
  /** The number of pending and skipped tests together, because Playwright's report does not distinguish them. */
  readonly notRun: number;
  readonly flaky: number;
}

const ReportTest = z.object({
  projectName: z.string(),
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
});
const Suite = z.object({
  specs: z.array(z.object({ tests: z.array(ReportTest) })),
  get suites() {
    return z.array(Suite).optional();
  },
});

/** The expected counts of each Playwright project, from Playwright's own report of the recorded run. */
export async function expectedCounts(): Promise<Record<string, Counts>> {
  const report: unknown = JSON.parse(await readFile(join(FIXTURES, 'playwright-recording-report.json'), 'utf8'));
  const tests = z
    .object({ suites: z.array(Suite) })
    .parse(report)
    .suites.flatMap(testsOf);
  const projects = [...new Set(tests.map(({ projectName }) => projectName))];
  return Object.fromEntries(
    projects.map((project) => {
      const own = tests.filter(({ projectName }) => projectName === project);
      const count = (...statuses: string[]) => own.filter(({ status }) => statuses.includes(status)).length;
      const counts = {
        overall: own.length,
        passes: count('expected', 'flaky'),
        failures: count('unexpected'),
        notRun: count('skipped'),
        flaky: count('flaky'),
      };
      return [project, counts];
    }),
  );
}

const testsOf = ({ specs, suites = [] }: z.infer<typeof Suite>): z.infer<typeof ReportTest>[] => [
  ...specs.flatMap(({ tests }) => tests),
  ...suites.flatMap(testsOf),
];
