import { beforeEach, describe, expect, test, vi } from 'vitest';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { archive } from '#test/context/trace/archives.ts';
import { noise } from '#test/harness/noise.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { repeated } from './repeated-content.ts';
import { imported, linked } from './reports.ts';

/** Uses the real clock, because the object store checks presigned URLs against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

const LIMIT = REPORT_LIMITS.attachmentBytes;

/** Creates a report whose test refers to these files as attachments. */
const naming = (...files: readonly string[]): string => {
  const lines = files.map((file) => `[[ATTACHMENT|${file}]]`).join('\n');
  return `<testsuite name="cart.test.ts"><testcase name="pays" file="cart.test.ts"><failure message="no"/>
<system-out>${lines}</system-out></testcase></testsuite>`;
};

const MEGABYTE = 1024 * 1024;

/** Content that decompresses to about 60 times its compressed size, like a video of an idle screen. */
function compressible(megabytes: number, end = '') {
  const block = Buffer.alloc(MEGABYTE);
  for (let at = 0; at < block.length; at += 4096) noise(48).copy(block, at);
  return repeated({ block, times: megabytes, end });
}

const zipped = (...members: Parameters<typeof archive>[0]) => Uint8Array.from(archive(members));

async function attachmentsOf({ api }: Pick<Tenant, 'api'>, runId: string) {
  const { specs } = await read(api, `/runs/${runId}`);
  const all = await Promise.all(
    specs.map(({ instanceId }: { instanceId: string }) => read(api, `/instances/${instanceId}`)),
  );
  return all.flatMap(({ results }) => results.attachments);
}

const recorded = async ({ api }: Pick<Tenant, 'api'>, importId: string) => {
  await expect.poll(async () => (await read(api, `/imports/${importId}`)).state).toBe('recorded');
  return read(api, `/imports/${importId}`);
};

describe('An attachment above the size limit', () => {
  test('is left out, and the API and the page of the import name the attachment, its size and the limit', async () => {
    const tenant = await service();
    vi.useRealTimers();
    const zip = zipped(
      { name: 'junit.xml', content: naming('fits.log', 'large.log') },
      { name: 'fits.log', ...compressible(LIMIT / MEGABYTE) },
      { name: 'large.log', ...compressible(LIMIT / MEGABYTE, '.') },
    );
    const { importId } = await linked(tenant, zip, 'ciBuildId=b1&name=all.zip');
    const { files, runId } = await recorded(tenant, importId);
    const said =
      'The attachment "large.log" of cart.test.ts is left out: it has 67,108,865 bytes, and the limit is 67,108,864';
    expect(files).toMatchObject([{ name: 'junit.xml', attachments: 1, warnings: [{ line: null, message: said }] }]);
    const arrived = async () =>
      (await attachmentsOf(tenant, runId)).map(({ name, bytes }: Record<string, unknown>) => ({ name, bytes }));
    await expect.poll(arrived).toEqual([{ name: 'fits.log', bytes: LIMIT }]);
    const person = await signedIn(tenant, 'member');
    const page = await person.get(`/${tenant.organizationId}/${tenant.projectId}/imports/${importId}`);
    expect(page.text).toContain(said);
  });
});

describe('An import', () => {
  test('is processed in the background if its attachments together are too large for one request', async () => {
    const tenant = await service();
    const half = compressible(5);
    const zip = (...names: readonly string[]) =>
      zipped({ name: 'a.xml', content: naming(...names) }, ...names.map((name) => ({ name, ...half })));
    expect(await imported(tenant, zip('a.log'), 'ciBuildId=b1')).toMatchObject({ state: 'recorded' });
    expect(await imported(tenant, zip('a.log', 'b.log'), 'ciBuildId=b2')).toMatchObject({ state: 'waiting' });
  });

  test('An import with a damaged attachment keeps its results and its other attachments, and reports the damage', async () => {
    const tenant = await service();
    const zip = zipped(
      { name: 'junit.xml', content: naming('broken.log', 'fine.log') },
      { name: 'broken.log', content: 'text', compressed: Buffer.from('no deflate') },
      { name: 'fine.log', content: 'text' },
    );
    const { runId, importId, files } = await imported(tenant, zip, 'ciBuildId=b1&root=/project');
    const expected = ['The attachment "broken.log" of cart.test.ts is left out: it is damaged in the archive'];
    for (const one of [files, (await read(tenant.api, `/imports/${importId}`)).files])
      expect(one[0].warnings.map(({ message }: { message: string }) => message)).toEqual(expected);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    const sizes = async () =>
      (await attachmentsOf(tenant, runId)).filter(({ bytes }: { bytes?: number }) => bytes === 4).length;
    await expect.poll(sizes).toBe(1);
  });
});
