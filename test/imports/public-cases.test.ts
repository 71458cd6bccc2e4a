/**
 * Small reports made after public bug reports of readers of test reports. Whatever is odd about them, the number of
 * tests, their names and outcomes, and the verdict of their run are right. `test/samples/cases` has one folder per case.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { archive } from '#test/context/trace/archives.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { CASES, type Case, type ExpectedTest, FOLDER, readCase } from './public-cases.ts';
import { sendReport } from './reports.ts';

type Sent = Awaited<ReturnType<typeof sendReport>>;

/** Sends the files in the given order. Returns the last answer. */
async function send(tenant: Tenant, name: string, { sent, files }: Case, ciBuildId: string): Promise<Sent | undefined> {
  const contents = await Promise.all(
    files.map(async (file) => ({ name: file, content: await readFile(join(FOLDER, name, file)) })),
  );
  if (sent === 'zip') return sendReport(tenant, Uint8Array.from(archive(contents)), `ciBuildId=${ciBuildId}`);
  if (sent === 'form') return sendForm(tenant, contents, ciBuildId);
  let last: Sent | undefined;
  for (const { name: file, content } of contents)
    last = await sendReport(tenant, Uint8Array.from(content), `ciBuildId=${ciBuildId}&name=${file}`);
  return last;
}

async function sendForm(
  tenant: Tenant,
  files: readonly { readonly name: string; readonly content: Buffer }[],
  ciBuildId: string,
): Promise<Sent> {
  const form = new FormData();
  for (const { name, content } of files) form.append('file', new Blob([Uint8Array.from(content)]), name);
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return sendReport(tenant, new Uint8Array(await encoded.arrayBuffer()), `ciBuildId=${ciBuildId}`, headers);
}

/** One line per test, with the duration only if the case expects one. */
const nameOf = ({ spec, title, outcome, flaky, attempts, durationMs }: ExpectedTest): string =>
  JSON.stringify([spec, title, outcome, flaky, attempts, durationMs]);

async function testsOf(
  { api }: Tenant,
  specs: readonly { readonly instanceId: string }[],
  [known]: readonly ExpectedTest[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const { instanceId } of specs) {
    const { spec, results } = await read(api, `/instances/${instanceId}`);
    for (const { title, state, isFlaky: flaky, attempts } of results.tests) {
      const durationMs = known?.durationMs === undefined ? undefined : attempts.at(-1).wallClockDuration;
      lines.push(nameOf({ spec, title, outcome: state, flaky, attempts: attempts.length, durationMs }));
    }
  }
  return lines.sort();
}

describe('A report made after a public bug report', () => {
  test.each(CASES)('%s has the right tests and the right verdict, in every order of its files', async (name) => {
    vi.useRealTimers();
    const known = await readCase(name);
    const tenant = await service();
    const orders = known.files.length > 1 ? [known.files, known.files.toReversed()] : [known.files];
    for (const [index, files] of orders.entries()) {
      const answer = await send(tenant, name, { ...known, files }, `b${index}`);
      expect(answer?.status, JSON.stringify(answer?.body)).toBe(known.isRefused ? 400 : 200);
      if (known.isRefused) continue;
      const { status, groups, specs } = await read(tenant.api, `/runs/${answer?.body.data.runId}`);
      const sum = (counter: string): number =>
        groups.reduce(
          (total: number, { tests }: { tests: Record<string, number> }) => total + (tests[counter] ?? 0),
          0,
        );
      const counters = { tests: 'overall', passed: 'passes', failed: 'failures' } as const;
      const outcomes = Object.keys(known.outcomes ?? {}).map((outcome) => [
        outcome,
        sum(Object.entries(counters).find(([key]) => key === outcome)?.[1] ?? outcome),
      ]);
      expect({ about: known.about, outcomes: Object.fromEntries(outcomes) }).toEqual({
        about: known.about,
        outcomes: known.outcomes ?? {},
      });
      const hasFailed = (known.outcomes?.['failed'] ?? 0) + (known.outcomes?.['skipped'] ?? 0) > 0;
      expect({ about: known.about, status }).toEqual({
        about: known.about,
        status: known.status ?? (hasFailed ? 'FAILED' : 'PASSED'),
      });
      if (known.tests) expect(await testsOf(tenant, specs, known.tests)).toEqual(known.tests.map(nameOf).sort());
    }
  });
});
