import { describe, expect, test } from 'vitest';
import { createRecord } from '#test/harness/recording.ts';
import { sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { passed, runBody, running } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { claimedRun, DONE, NO_SUCH_INSTANCE, NO_SUCH_RECORD, operations, type Setting, SUITE } from './operations.ts';

const withKey = (setting: Setting, readWrite: string): Setting => ({
  ...setting,
  keys: { ...setting.keys, readWrite },
});

describe('A recording request', () => {
  test('gets the same 401 whether its key has a wrong checksum or is missing', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const { readWrite } = setting.keys;
    const wrong = readWrite.slice(0, -1) + (readWrite.endsWith('0') ? '1' : '0');
    const { 'upload a batch': upload, ...streaming } = operations(withKey(setting, wrong), claimed);
    const answers = [];
    for (const operate of Object.values(streaming)) answers.push(await operate(setting.anonymous));
    const post = (headers: Record<string, string>) =>
      setting.anonymous.post('@/runs/v1', runBody(setting.projectId, SUITE), { headers });
    answers.push(await post({ 'x-currents-key': wrong }), await post({ authorization: `Bearer ${wrong}` }));
    for (const { status, body, headers } of answers) {
      expect({ status, body }).toEqual({ status: 401, body: answers[0]?.body });
      expect(headers.get('www-authenticate')).toBe(answers[0]?.headers.get('www-authenticate'));
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="rundown", error="invalid_token"/);
    }
    // A batch upload has its key in the body, so the function refuses the upload, not the authorizer. API Gateway
    // renames the `WWW-Authenticate` header of functions, so only status and body are compared.
    expect(await upload(setting.anonymous)).toMatchObject({ status: 401, body: answers[0]?.body });
  });

  test('A recording request with a Read Only key is refused', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const readOnly = withKey(setting, setting.keys.readOnly);
    for (const [operation, operate] of Object.entries(operations(readOnly, claimed))) {
      const { status, body } = await operate(setting.reader);
      expect({ operation, status, body }).toEqual({
        operation,
        status: 403,
        body: { status: 'FAILED', error: expect.stringContaining('Use a Read & Write key') },
      });
    }
  });

  test('gets a 404 if its key belongs to another organization', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const recordId = await createRecord(setting, claimed, DONE, running());
    const stranger = await setting.tenant('Other');
    const { 'create a run': create, claim: take, 'create a test record': first } = operations(setting, claimed);
    const answers = [
      await create(stranger.api),
      await take(stranger.api),
      await first(stranger.api),
      await stranger.api.put(`@/test-record/${recordId}`, { _t: 1, ...passed() }),
      await operations(setting, claimed)['announce a file of a spec file'](stranger.api),
      await stranger.api.post(`@/artifacts/test-record/${recordId}`, {
        name: 'a',
        artifactId: 'a',
        contentType: 'a/b',
      }),
      await sendUpload(stranger, uploadBody({ ...stranger, projectId: setting.projectId }, SUITE, [])),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

describe('An id that does not exist', () => {
  test('An unknown project id is refused as "Project not found", both for streaming and for uploads', async () => {
    const setting = await service();
    const unknown = { ...setting, projectId: 'nobody' };
    const body = { status: 'FAILED', error: 'Project not found' };
    expect(await setting.api.post('@/runs/v1', runBody('nobody', SUITE))).toMatchObject({ status: 404, body });
    expect(await sendUpload(setting, uploadBody(unknown, SUITE, []))).toMatchObject({ status: 404, body });
  });

  test.each([NO_SUCH_RECORD, 'nonsense', '%2F..%2F', `${NO_SUCH_RECORD}0`])(
    'An unknown test record id is refused as "Test record not found": %s',
    async (recordId) => {
      const { api } = await service();
      const body = { status: 'FAILED', error: 'Test record not found' };
      expect(await api.put(`@/test-record/${recordId}`, { _t: 1, ...passed() })).toMatchObject({ status: 404, body });
    },
  );

  test('Recording operations refuse an unknown id with an error that says which kind of resource is missing', async () => {
    const setting = await service();
    const known = await claimedRun(setting);
    const unknown = { ...known, runId: 'nobody', instanceId: NO_SUCH_INSTANCE };
    const { 'create a run': create, 'update a test record': update, ...rest } = operations(setting, unknown);
    expect((await rest.claim(setting.api)).body.error).toBe('Run not found');
    expect((await rest['create a test record'](setting.api)).body.error).toBe('Instance not found');
    expect((await rest['announce a file of a spec file'](setting.api)).body.error).toBe('Instance not found');
    expect((await rest['announce a file of a test'](setting.api)).body.error).toBe('Test record not found');
    expect([(await create(setting.api)).status, (await update(setting.api)).status]).toEqual([200, 404]);
  });
});
