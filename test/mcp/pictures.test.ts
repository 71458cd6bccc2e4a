/** What agents see of the files of a test: one picture if they ask for it, and short links to pages. */
import { expect, test, vi } from 'vitest';
import { MCP_LIMITS } from '#shared/mcp/limits.ts';
import { listTestFiles } from '#shared/results/instances/test-files.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, testIdOf } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { ask } from './agents.ts';

const TEST = 'cart.spec.ts > sums';
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Records a failed test with these screenshots, in this order. */
async function recordWith(screenshots: readonly Buffer[]) {
  // The object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const stage = await service();
  const { records, instances, runId } = await recordRun(stage, { retail: { tests: { [TEST]: failed() } } });
  for (const [index, content] of screenshots.entries()) {
    const file = {
      artifactId: `a${index}`,
      type: 'screenshot',
      name: `page ${index}`,
      attemptId: 1,
      contentType: 'image/png',
    };
    const { body } = await stage.api.post(`@/artifacts/test-record/${records[`retail ${TEST}`]}`, file);
    const put = { method: 'PUT', body: new Uint8Array(content), headers: { 'content-type': 'image/png' } };
    expect((await fetch(body.uploadUrl, put)).status).toBe(200);
  }
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  const ids = { instance_id: instanceId, test_id: testIdOf('retail', TEST) };
  const call = async (name: string, args: object) =>
    (await ask(stage.origin, stage.keys.readOnly, 'tools/call', { name, arguments: args })).result.content;
  const testKey = { organizationId: stage.organizationId, instanceId, testId: ids.test_id };
  const listSizes = async () => (await listTestFiles(stage.services, testKey)).map(({ bytes }) => bytes);
  await expect.poll(listSizes).toEqual(screenshots.map(({ length }) => length));
  return { stage, runId, instanceId, ids, call };
}

test('A failure context contains the last picture of the test only if the agent asks for it', async () => {
  const { ids, runId, call } = await recordWith([Buffer.concat([PNG, Buffer.from('first')]), PNG]);
  expect(await call('get_context', ids)).toHaveLength(1);
  const [text, image] = await call('get_context', { ...ids, screenshot: true });
  expect(text.text).toContain('# Test Failure Context');
  expect(image).toEqual({ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') });
  const ofRun = await call('get_context', { run_id: runId, screenshot: true });
  expect(ofRun).toHaveLength(1);
  expect(ofRun[0].text).toContain('Note: A screenshot is of one test.');
});

test('A screenshot that is no picture, or too large to show, is named instead', async () => {
  const noPicture = await recordWith([Buffer.from('<html>')]);
  const [text, ...more] = await noPicture.call('get_context', { ...noPicture.ids, screenshot: true });
  expect(more).toEqual([]);
  expect(text.text).toContain('Note: The picture "page 0" is missing, or no PNG');
  const large = await recordWith([Buffer.concat([PNG, Buffer.alloc(MCP_LIMITS.pictureBytes)])]);
  const [note] = await large.call('get_context', { ...large.ids, screenshot: true });
  expect(note.text).toContain('too many to show');
});

test('Files in the answers of tools are short links without a signature, which lead members to the file', async () => {
  const { stage, instanceId, ids, call } = await recordWith([PNG]);
  const page = new RegExp(
    `${stage.origin}/${stage.organizationId}/${stage.projectId}/instances/${instanceId}/files/[\\w.-]+`,
  );
  for (const [name, args] of [
    ['get_context', ids],
    ['get_instance', { instanceId }],
  ] as const) {
    const [{ text }] = await call(name, args);
    expect(text).not.toContain('X-Amz-Signature');
    const [link = ''] = page.exec(text) ?? [];
    const answer = await (await signedIn(stage, 'member')).get(new URL(link).pathname);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining('X-Amz-Signature')]);
  }
});
