import { expect, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { sampleFile } from '#test/reports/sources.ts';
import { imported } from './reports.ts';

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
