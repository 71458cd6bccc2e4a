import { describe, expect, test, vi } from 'vitest';
import { confirmed } from '#test/harness/downloads.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, testIdOf } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const TEST = `${SPEC} > fails`;

/** Records an instance with one finished test, to which files can be added. */
async function stage() {
  const tenant = await service();
  const run = await recordRun(tenant, { retail: { tests: { [TEST]: failed() } } });
  const instanceId = run.instances[`retail ${SPEC}`] ?? '';
  const recordId = run.records[`retail ${TEST}`] ?? '';
  const ofTest = async (body: object) => {
    const whole = { artifactId: 'a1', attemptId: 0, name: 'file', contentType: 'text/plain', ...body };
    return (await tenant.api.post(`@/artifacts/test-record/${recordId}`, whole)).body.uploadUrl;
  };
  const results = async () => (await tenant.reader.get(`/instances/${instanceId}`)).body.data.results;
  return { ofTest, results };
}

const own = { testId: testIdOf('retail', TEST), testAttemptIndex: 1, bytes: null };
const link = expect.stringMatching(/^http.*X-Amz-Signature=/);

describe('GET /instances/{instanceId} with files', () => {
  test('lists announced files by type before they are uploaded, with their links but without a size', async () => {
    const { ofTest, results } = await stage();
    const types = ['trace', 'screenshot', 'video', 'attachment'];
    for (const type of types) {
      await ofTest({
        type,
        artifactId: `id-${type}`,
        attemptId: 1,
        name: type,
        filename: `${type}.bin`,
        contentType: 'image/png',
      });
    }
    const { playwrightTraces, screenshots, videos, attachments } = await results();
    expect({ playwrightTraces, screenshots, videos, attachments }).toEqual({
      playwrightTraces: [{ ...own, traceId: 'id-trace', name: 'trace', traceURL: link }],
      screenshots: [
        {
          ...own,
          screenshotId: 'id-screenshot',
          name: 'screenshot',
          screenshotURL: link,
          takenAt: '2026-11-02T10:00:00.000Z',
        },
      ],
      videos: [{ ...own, videoUrl: link }],
      attachments: [
        {
          ...own,
          id: 'id-attachment',
          name: 'attachment',
          filename: 'attachment.bin',
          contentType: 'image/png',
          readUrl: link,
          createdAt: '2026-11-02T10:00:00.000Z',
        },
      ],
    });
  });

  test('returns upload links that cannot download a file, and download links that cannot upload one', async () => {
    // The object store checks the expiry of links against the real clock.
    vi.useRealTimers();
    const { ofTest, results } = await stage();
    const uploadUrl = await ofTest({ type: 'attachment' });
    await fetch(uploadUrl, { method: 'PUT', body: 'mine' });
    expect((await fetch(uploadUrl)).status).toBe(403);
    const { readUrl } = (await results()).attachments[0];
    expect((await fetch(readUrl, { method: 'PUT', body: 'theirs' })).status).toBe(403);
    expect(await (await confirmed(readUrl)).text()).toBe('mine');
  });

  test('lists a file once even if it was announced twice', async () => {
    const { ofTest, results } = await stage();
    await ofTest({ type: 'trace' });
    await ofTest({ type: 'trace' });
    expect((await results()).playwrightTraces).toHaveLength(1);
  });
});
