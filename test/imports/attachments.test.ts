import { expect, test, vi } from 'vitest';
import { archive } from '#test/context/trace/archives.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { sampleFile } from '#test/reports/sources.ts';
import { imported } from './reports.ts';

/** How the attempts of a test ended, by its title. */
type Attempts = Readonly<Record<string, readonly string[]>>;

/**
 * The blob report of one machine. Each attempt attaches two files of the same name and one that the report contains
 * itself. Each content names its machine, test, attempt and place.
 */
function writeBlobReport(shard: number, tests: Attempts): Uint8Array<ArrayBuffer> {
  const resources: { name: string; content: string }[] = [];
  const lines: object[] = [
    {
      method: 'onBlobReportMetadata',
      params: { version: 2, userAgent: 'Playwright/1.65.1', shard: { current: shard, total: 2 } },
    },
  ];
  const entries = Object.keys(tests).map((title) => ({ testId: title, title }));
  const suites = [{ title: 'cart.spec.ts', location: { file: 'cart.spec.ts' }, entries }];
  lines.push({ method: 'onProject', params: { project: { name: 'shop', suites } } });
  const order = Object.entries(tests).flatMap(([testId, ends]) =>
    ends.map((status, retry) => ({ testId, status, retry })),
  );
  // Playwright runs tests at the same time, so their events alternate.
  const results = order
    .toSorted((one, other) => one.retry - other.retry)
    .map((one) => ({ ...one, id: `${one.testId}${one.retry}` }));
  for (const { testId, retry, id } of results)
    lines.push({ method: 'onTestBegin', params: { testId, result: { id, retry, startTime: 1_795_293_623_571 } } });
  for (const { testId, retry, id } of results) {
    const contents = ['first', 'second', 'inline'].map(
      (place) => `shard ${shard}, ${testId}, attempt ${retry}, ${place}`,
    );
    const stored = contents.slice(0, 2).map((content) => {
      const path = `resources/${resources.length}-${shard}.txt`;
      resources.push({ name: path, content });
      return { name: 'log', contentType: 'text/plain', path };
    });
    const inline = {
      name: 'note',
      contentType: 'text/plain',
      base64: Buffer.from(contents[2] ?? '').toString('base64'),
    };
    lines.push({ method: 'onAttach', params: { testId, resultId: id, attachments: [...stored, inline] } });
  }
  for (const { testId, status, id } of results) {
    const errors = status === 'passed' ? [] : [{ message: 'no' }];
    lines.push({
      method: 'onTestEnd',
      params: { test: { testId, expectedStatus: 'passed' }, result: { id, duration: 1, status, errors } },
    });
  }
  lines.push({ method: 'onEnd', params: { result: { status: 'failed', startTime: 1_795_293_623_571, duration: 9 } } });
  const report = { name: 'report.jsonl', content: lines.map((line) => JSON.stringify(line)).join('\n') };
  return Uint8Array.from(
    archive([...resources, report].map((member) => ({ ...member, content: Buffer.from(member.content) }))),
  );
}

/** The attachments of a run by test and attempt, each with what its link downloads. */
async function openAttachments({ api }: Tenant, runId: string): Promise<string[]> {
  const { specs } = await read(api, `/runs/${runId}`);
  const files: string[] = [];
  for (const { instanceId } of specs) {
    const { results } = await read(api, `/instances/${instanceId}`);
    const titles = new Map(results.tests.map((one: { testId: string; title: string[] }) => [one.testId, one.title[0]]));
    for (const { testId, testAttemptIndex: attempt, name, readUrl } of results.attachments)
      files.push(
        `${titles.get(testId)} ${attempt} ${name}: ${readUrl ? await (await fetch(readUrl)).text() : 'arriving'}`,
      );
  }
  return files.sort();
}

test('The attachments of an imported Playwright blob report are stored as attachments or screenshots of its spec files', async () => {
  const { api, ...tenant } = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const bytes = Uint8Array.from(await sampleFile('playwright-blob-1.65.1.zip'));
  const { runId, files } = await imported({ api, ...tenant }, bytes, 'ciBuildId=b1&root=/project');
  const { specs } = await read(api, `/runs/${runId}`);
  const arrived = async () => {
    const all = await Promise.all(
      specs.map(({ instanceId }: { instanceId: string }) => read(api, `/instances/${instanceId}`)),
    );
    const found = all.flatMap(({ results: { attachments, screenshots = [] } }) => [...attachments, ...screenshots]);
    return found.filter(({ bytes: size }) => typeof size === 'number').length;
  };
  expect(files[0].attachments).toBeGreaterThan(0);
  await expect.poll(arrived).toBe(files[0].attachments);
});

test('The attachments of two blob reports of one suite, merged with their retries, open with the content of their machine, test and attempt', async () => {
  const tenant = await service();
  // The object store checks presigned URLs against the real time.
  vi.useRealTimers();
  // Machines share a spec file, and one test ran on both. A report with more than 20 attachments is left to the queue.
  const shards: readonly Attempts[] = [
    { sums: ['failed', 'failed', 'passed'], ships: ['timedOut'] },
    { ships: ['failed', 'passed'] },
  ];
  const [first, second] = shards.map((tests, index) => writeBlobReport(index + 1, tests));
  if (!first || !second) throw new Error('There are two shards');
  const listed = shards.flatMap((tests, index) =>
    Object.entries(tests).flatMap(([title, attempts]) =>
      attempts.flatMap((_, attempt) =>
        ['first', 'second', 'inline'].map(
          (place) =>
            `${title} ${attempt} ${place === 'inline' ? 'note' : 'log'}: shard ${index + 1}, ${title}, attempt ${attempt}, ${place}`,
        ),
      ),
    ),
  );
  const together = Uint8Array.from(
    archive(
      [first, second].map((content, index) => ({ name: `report-${index + 1}.zip`, content: Buffer.from(content) })),
    ),
  );
  const merged = await imported(tenant, together, 'ciBuildId=merged');
  await imported(tenant, first, 'ciBuildId=apart&complete=false');
  const apart = await imported(tenant, second, 'ciBuildId=apart');
  for (const { runId } of [merged, apart])
    await expect.poll(() => openAttachments(tenant, runId)).toEqual(listed.sort());
});
