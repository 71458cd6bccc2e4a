import { beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as createWebhook } from '#functions/api/create-webhook.ts';
import { handler as deleteRun } from '#functions/api/delete-run.ts';
import { handler as getContext } from '#functions/api/get-context.ts';
import { handler as getTestResults } from '#functions/api/get-test-results.ts';
import { handler as listProjects } from '#functions/api/list-projects.ts';
import { handler as listRuns } from '#functions/api/list-runs.ts';
import { handler as listWebhooks } from '#functions/api/list-webhooks.ts';
import { handler as updateWebhook } from '#functions/api/update-webhook.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import { DATA_NOTE, formatAnswer } from '#shared/mcp/answer-text.ts';
import type { Arguments } from '#shared/mcp/tool.ts';
import { toTool } from '#shared/platform/as-tool.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;

const key = ({ organizationId }: Stage, level: 'readOnly' | 'readWrite' = 'readWrite'): ApiActor => ({
  kind: 'apiKey',
  organizationId,
  keyId: 'k1',
  label: 'CI',
  level,
});

const answerOf = (stage: Stage, operation: Parameters<typeof toTool>[0], args: Arguments, actor = key(stage)) =>
  toTool(operation).invoke({ services: stage.services, actor, args, requestId: 'r1' });

const call = async (...request: Parameters<typeof answerOf>): Promise<string> => (await answerOf(...request)).text;

// Silences the log lines that tools write.
beforeEach(() => void vi.spyOn(console, 'info').mockImplementation(() => {}));

/** The JSON data of an answer, without the notes around it. */
const dataIn = (text: string) => JSON.parse(text.replace(`${DATA_NOTE}\n`, '').replace(/\n\n(?:Note|Next): .*$/s, ''));

const TEST = 'cart.spec.ts > cart > keeps its articles';

describe('A tool', () => {
  test('responds with JSON without the response envelope, with one item per line, and suggests the next tool at the end', async () => {
    const stage = await service();
    const text = await call(stage, listProjects, {});
    expect(text).toMatch(/^Data from Rundown\./);
    expect(dataIn(text)).toMatchObject({ has_more: false, data: [{ projectId: stage.projectId, name: 'Shop' }] });
    expect(text).toMatch(/\n\nNext: list_runs or find_run/);
    expect(text.split('\n').find((line) => line.includes(stage.projectId))).toMatch(/^\{.*\}$/);
  });

  test('also responds with the data of its text for programs, unless the text is Markdown', async () => {
    const stage = await service();
    const { text, structured } = await answerOf(stage, listProjects, {});
    expect(structured).toMatchObject({ note: DATA_NOTE, result: dataIn(text) });
    expect(structured).toHaveProperty('next', text.split('\n\nNext: ')[1]);
    await uploadRun(stage, { [TEST]: failed() }, { ciBuildId: 'b1' });
    const { data } = dataIn(await call(stage, listRuns, { projectId: stage.projectId }));
    const markdown = await answerOf(stage, getContext, { run_id: data[0].runId });
    expect(markdown.text).toContain('# ');
    expect(markdown).not.toHaveProperty('structured');
  });

  test('responds with its text alone if the text is cut, because the data would be as long as all of it', async () => {
    const long = Array.from({ length: 500 }, (_, id) => ({ id, title: 'x'.repeat(200) }));
    const answer = formatAnswer({
      result: { status: 'OK', data: long },
      note: undefined,
      next: 'get_run',
      remedies: [],
    });
    expect(answer.text).toContain('characters are shown');
    expect(answer).not.toHaveProperty('structured');
  });

  test('puts one cursor before the items of a list, and the cursor leads to the next page', async () => {
    const stage = await service();
    for (const ciBuildId of ['b1', 'b2']) {
      await uploadRun(stage, { [TEST]: passed() }, { ciBuildId });
      clock.advance(1000);
    }
    const first = dataIn(await call(stage, listRuns, { projectId: stage.projectId, limit: 1 }));
    expect(first).toMatchObject({ has_more: true, data: [{ ciBuildId: 'b2' }] });
    expect(Object.keys(first)).toEqual(['has_more', 'starting_after', 'data']);
    const next = { projectId: stage.projectId, limit: 1, starting_after: first.starting_after };
    expect(dataIn(await call(stage, listRuns, next))).toMatchObject({ has_more: false, data: [{ ciBuildId: 'b1' }] });
  });

  test('accepts argument names in camelCase or snake_case, accepts null for an absent value, and refuses unknown names', async () => {
    const stage = await service();
    const { projectId } = stage;
    expect(dataIn(await call(stage, listRuns, { project_id: projectId, branches: null })).data).toEqual([]);
    for (const name of ['cursor', 'constructor', 'toString', 'ending_before', '']) {
      await expect(call(stage, listRuns, { projectId, [name]: 'x' })).rejects.toThrow(`Unknown argument \`${name}\``);
    }
    await expect(call(stage, listRuns, { projectId, project_id: projectId })).rejects.toThrow('two spellings');
  });

  test('explains which arguments are missing or have the wrong type', async () => {
    const stage = await service();
    await expect(call(stage, listRuns, {})).rejects.toThrow('`projectId`');
    await expect(call(stage, listRuns, { projectId: stage.projectId, limit: 'five' })).rejects.toThrow('`limit`');
    await expect(call(stage, listRuns, { projectId: { a: 1 } })).rejects.toThrow('`projectId`');
    await expect(call(stage, listRuns, { projectId: stage.projectId, branches: {} })).rejects.toThrow('`branches[0]`');
  });

  test('checks the permission before it validates the arguments', async () => {
    const stage = await service();
    await expect(call(stage, deleteRun, { nonsense: 1 }, key(stage, 'readOnly'))).rejects.toThrow('Read Only');
    const actor = {
      kind: 'personalToken',
      organizationId: stage.organizationId,
      tokenId: 't1',
      accountId: 'a1',
    } as const;
    const refused = call(stage, deleteRun, { runId: 'r' }, { ...actor, permissions: ['results:read'] });
    await expect(refused).rejects.toMatchObject({ statusCode: 403, details: { code: 'insufficient_scope' } });
    await expect(refused).rejects.toThrow('runs:write');
  });

  test('uses a date range with the latest results by default, because models do not know the time', async () => {
    const stage = await service();
    await uploadRun(stage, { [TEST]: failed() });
    const asked = await stage.api.post('/signature/test', {
      projectId: stage.projectId,
      specFilePath: 'cart.spec.ts',
      testTitle: ['cart', 'keeps its articles'],
    });
    const { signature } = asked.body.data;
    expect(dataIn(await call(stage, getTestResults, { signature })).data).toMatchObject([
      { status: 'failed', attempts: 2, error: expect.stringContaining('expected 2') },
    ]);
    const range = { date_start: '2026-01-01', date_end: '2026-02-01' };
    expect(dataIn(await call(stage, getTestResults, { signature, ...range })).data).toEqual([]);
  });

  test('responds with a failure context in Markdown that tells the agent which tools to call, instead of which API requests to send', async () => {
    const stage = await service();
    const { runId } = await uploadRun(stage, { [TEST]: failed() });
    const text = await call(stage, getContext, { runId });
    expect(text).toContain('# Run Failure Context');
    expect(text).toContain('untrusted data');
    expect(text).toContain('get_context {"instance_id":');
    expect(text).not.toContain('GET /');
    await expect(call(stage, getContext, { runId, format: 'json' })).rejects.toThrow('Tools answer with Markdown');
  });
});

describe('A tool for webhooks', () => {
  const url = 'https://receiver.example.com/hook?token=abc123secret';
  const headers = { Authorization: 'Bearer very-secret-value' };

  test('A tool hides the header values and query values of a webhook in its responses', async () => {
    const stage = await service();
    const { projectId } = stage;
    const texts = [await call(stage, createWebhook, { projectId, url, headers })];
    const { hookId } = dataIn(texts[0] ?? '');
    texts.push(
      await call(stage, updateWebhook, { hookId, label: 'chat' }),
      await call(stage, listWebhooks, { projectId }),
    );
    for (const text of texts) {
      expect(text).toContain('"Authorization":"[hidden]"');
      expect(text).not.toMatch(/very-secret|abc123/);
    }
  });

  test('A tool cannot create a signed webhook, because the signing secret would appear in the conversation', async () => {
    const stage = await service();
    const args = { projectId: stage.projectId, url, signed: true };
    await expect(call(stage, createWebhook, args)).rejects.toThrow('Create signed webhooks in the dashboard');
    expect(dataIn(await call(stage, listWebhooks, { projectId: stage.projectId })).webhooks).toEqual([]);
  });

  test('A tool removes the headers of a webhook if the argument `headers` is null', async () => {
    const stage = await service();
    const { hookId } = dataIn(await call(stage, createWebhook, { projectId: stage.projectId, url, headers }));
    expect(await call(stage, updateWebhook, { hookId, headers: null })).not.toContain('Authorization');
  });
});
