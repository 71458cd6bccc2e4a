/** Calls the operations of the API for a small run, to record the examples in the OpenAPI document. */
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Client } from '#test/harness/client.ts';
import { recordActions } from './action-conversation.ts';
import { readAnalytics } from './analytics-conversation.ts';
import { importReports } from './import-conversation.ts';
import { type ConnectedJira, recordIssues } from './issue-conversation.ts';
import { neutral } from './neutral.ts';
import { recordOrchestration } from './orchestration-conversation.ts';
import { recordProjects } from './project-conversation.ts';
import { recordWithReporter } from './recording-conversation.ts';
import { recordRunEndings, runIdIn } from './run-conversation.ts';
import * as sent from './sent.ts';
import { recordShares } from './share-conversation.ts';
import { recordWebhooks } from './webhook-conversation.ts';

interface Example {
  readonly request?: unknown;
  readonly response: unknown;
}

/** Examples of operations by operationId, and examples of refusals by their names in the OpenAPI document. */
export interface Examples {
  readonly operations: Readonly<Record<string, Example>>;
  readonly refusals: Readonly<Record<string, unknown>>;
}

export interface Setting {
  /** A client with the record key as credential. */
  readonly api: Client;
  readonly anonymous: Client;
  readonly reader: Client;
  /** A client with the OAuth access token of a person as credential. */
  readonly person: Client;
  /** A client with the secret of a share as credential. */
  readonly withSecret: (secret: string) => Client;
  readonly organizationId: string;
  readonly projectId: string;
  /** Of a CI job whose repository the project trusts. */
  readonly identityToken: string;
  readonly jira: ConnectedJira;
  readonly recordKey: string;
  /** The issuer of access tokens. Examples show a fictitious issuer instead. */
  readonly issuer: string;
  /** Advances the clock of the service. */
  readonly advance: (milliseconds: number) => void;
  readonly runSchedule: (name: string) => Promise<unknown>;
}

const Answered = z.record(z.string(), z.unknown());
const JSON_TYPE = { 'content-type': 'application/json' };

/** Operations that refuse API keys. */
const OF_PEOPLE = new Set(['getMe', 'createShare', 'listShares', 'deleteShare']);

class Conversation {
  readonly operations: Record<string, Example> = {};
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /**
   * Sends the request, stores it with its answer as an example, and returns the body. Throws unless the request
   * succeeds.
   */
  async request(operationId: string, method: string, path: string, body?: object | string, secret?: string) {
    const { person, api: keyed, withSecret } = this.#setting;
    const api = secret === undefined ? (OF_PEOPLE.has(operationId) ? person : keyed) : withSecret(secret);
    const isFile = typeof body === 'string';
    const text = isFile ? body : body && JSON.stringify(body);
    const isJson = body && !isFile;
    const answer = await api.send(method, path, text, { headers: isJson ? { ...JSON_TYPE, ...sent.VERSIONS } : {} });
    if (answer.status >= 300)
      throw new Error(`${operationId} was answered with ${answer.status} ${JSON.stringify(answer.body)}`);
    const response = Answered.parse(answer.body);
    this.operations[operationId] = neutral({ ...(isJson ? { request: body } : {}), response }, this.#setting);
    return response;
  }

  /** Like `request`, but returns one property of the answer as text. */
  async requestText(member: string, ...given: Parameters<Conversation['request']>): Promise<string> {
    return z.string().parse((await this.request(...given))[member]);
  }
}

const MINUTE_MILLISECONDS = 60_000;
const DAY_MILLISECONDS = 86_400_000;

/** Records all examples. Throws unless every operation succeeds. */
export async function converse(setting: Setting): Promise<Examples> {
  const conversation = new Conversation(setting);
  const { organizationId, projectId, identityToken } = setting;
  const place = `/organizations/${organizationId}/projects/${projectId}/build-credentials`;
  await conversation.request('createBuildCredential', 'POST', place, undefined, identityToken);
  const baseRunId = await conversation.requestText('runId', 'uploadRun', 'POST', '/runs', sent.upload(setting));
  setting.advance(MINUTE_MILLISECONDS);
  const instanceId = await streamRun(conversation, setting);
  await filesHaveArrived(setting, instanceId);
  await readAll(conversation, setting, { instanceId, baseRunId });
  const begin = async (body: object) => runIdIn((await setting.api.post('@/runs/v1', body)).body);
  await recordRunEndings(conversation.request.bind(conversation), begin, setting);
  await compiled(setting);
  await readAnalytics(conversation.request.bind(conversation), setting.projectId);
  await recordActions(conversation.request.bind(conversation), setting.projectId);
  await recordWebhooks(conversation.request.bind(conversation), setting.projectId);
  await recordOrchestration(conversation.request.bind(conversation), setting);
  await importReports(conversation.request.bind(conversation), setting.projectId);
  await recordWithReporter(conversation.request.bind(conversation), setting.projectId);
  await recordProjects(conversation.request.bind(conversation));
  return { operations: conversation.operations, refusals: await refusals(setting) };
}

async function streamRun(conversation: Conversation, setting: Setting): Promise<string> {
  const runId = await conversation.requestText('runId', 'createRun', 'POST', '@/runs/v1', sent.run(setting));
  const claimPath = `@/runs/${runId}/pw/instances/v1`;
  const instanceId = await conversation.requestText('instanceId', 'claimInstance', 'POST', claimPath, sent.claim());
  for (const test of sent.TESTS) {
    const began = sent.began(test, { runId, instanceId });
    const recordId = await conversation.requestText('recordId', 'createTestRecord', 'POST', '@/test-record', began);
    setting.advance(test.milliseconds);
    const files = `@/artifacts/test-record/${recordId}`;
    await addFile(conversation, 'registerTestArtifact', files, sent.errorContext(test));
    await conversation.request('updateTestRecord', 'PUT', `@/test-record/${recordId}`, sent.ended(test));
  }
  await addFile(conversation, 'registerInstanceArtifact', `@/artifacts/instance/${instanceId}`, sent.output());
  await conversation.request('registerDebugLog', 'POST', '@/runs/debug-logs', { type: 'pw-debug', runId });
  return instanceId;
}

/** Announces the file and uploads it. */
async function addFile(conversation: Conversation, operationId: string, path: string, file: sent.File): Promise<void> {
  const { content, ...announced } = file;
  const uploadUrl = await conversation.requestText('uploadUrl', operationId, 'POST', path, announced);
  const isOutput = announced.type === 'stdout';
  const response = await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': announced.contentType, ...(isOutput ? { 'content-encoding': 'gzip' } : {}) },
    body: isOutput ? gzipSync(content) : content,
  });
  if (!response.ok) throw new Error(`Uploading the file of ${operationId} was answered with ${response.status}`);
}

const File = z.object({ bytes: z.number().nullable() });
const WithFiles = z.object({
  data: z.object({ results: z.object({ attachments: z.array(File), stdout: File.nullable() }) }),
});
const POLLS = 100;
const POLL_MILLISECONDS = 50;

/** Waits until the service has been notified of the uploads. */
async function filesHaveArrived({ api }: Setting, instanceId: string): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const { attachments, stdout } = WithFiles.parse((await api.get(`/instances/${instanceId}`)).body).data.results;
    if ([...attachments, stdout].every((file) => typeof file?.bytes === 'number')) return;
    await setTimeout(POLL_MILLISECONDS);
  }
  throw new Error('The service was not notified of the uploaded files');
}

/** Runs the schedule that compiles the run, because analytics include a run only after that. */
async function compiled({ advance, runSchedule }: Setting): Promise<void> {
  advance(MINUTE_MILLISECONDS);
  await runSchedule('mergeAnalytics');
}

const Signature = z.object({ signature: z.string() });

async function readAll(
  conversation: Conversation,
  { projectId, jira }: Setting,
  { instanceId, baseRunId }: { instanceId: string; baseRunId: string },
): Promise<void> {
  const runId = instanceId.slice(0, instanceId.length / 2);
  await conversation.request('listProjects', 'GET', '/projects');
  await conversation.request('getProject', 'GET', `/projects/${projectId}`);
  await conversation.request('getMe', 'GET', '/me');
  await conversation.request('listRuns', 'GET', `/projects/${projectId}/runs?limit=1&branches[]=main`);
  await conversation.request(
    'findRun',
    'GET',
    `/runs/find?projectId=${projectId}&ciBuildId=${sent.BUILD}&pwLastRun=true`,
  );
  await conversation.request('getRun', 'GET', `/runs/${runId}`);
  const comparison = `/runs/${runId}/comparison?base_run_id=${baseRunId}`;
  await conversation.request('getRunComparison', 'GET', comparison);
  await conversation.request('getRunGate', 'GET', `/runs/${runId}/gate?base_run_id=${baseRunId}`);
  await conversation.request('getInstance', 'GET', `/instances/${instanceId}`);
  await conversation.request('getContext', 'GET', `/context?run_id=${runId}&limit=1`);
  const readShared = (secret: string) => conversation.request('getShared', 'GET', '/shared?limit=1', undefined, secret);
  await recordShares(conversation.request.bind(conversation), readShared, { projectId, runId });
  const failure = { projectId, runId, testId: sent.FAILED_TEST_ID };
  await recordIssues(conversation.request.bind(conversation), jira, failure);
  const { data } = await conversation.request('getTestSignature', 'POST', '/signature/test', sent.testName(projectId));
  const { signature } = Signature.parse(data);
  const from = Date.now() - DAY_MILLISECONDS;
  const to = Date.now() + DAY_MILLISECONDS;
  const range = `date_start=${new Date(from).toISOString()}&date_end=${new Date(to).toISOString()}`;
  await conversation.request('getTestResults', 'GET', `/test-results/${signature}?${range}&limit=1`);
  await conversation.request('getHealth', 'GET', '@/health');
  await conversation.request('getProtectedResource', 'GET', '@/.well-known/oauth-protected-resource');
  await conversation.request('getMcpProtectedResource', 'GET', '@/.well-known/oauth-protected-resource/mcp');
  await readDescription(conversation);
}

/**
 * Reads the OpenAPI document. The example of this operation is shortened, because the complete document would contain
 * itself.
 */
async function readDescription(conversation: Conversation): Promise<void> {
  const { openapi, info, servers } = await conversation.request('getOpenapi', 'GET', '/docs/openapi.json');
  conversation.operations['getOpenapi'] = {
    response: neutral({ openapi, info, servers, paths: {} }, { recordKey: '' }),
  };
}

async function refusals(setting: Setting): Promise<Record<string, unknown>> {
  const { api, anonymous, reader } = setting;
  const cancelled = { ...sent.run(setting), ciBuildId: 'cancelled' };
  const { body: begun } = await api.post('@/runs/v1', cancelled);
  await api.put(`/runs/${begun.runId}/cancel`);
  const answers = {
    InvalidRequest: await api.get('/projects?limit=1000'),
    Unauthorized: await anonymous.get('/projects'),
    Forbidden: await reader.post('@/runs/v1', sent.run(setting)),
    NotFound: await api.get('/projects/nowhere'),
    RunTakesNoMore: await api.post('@/runs/v1', { ...cancelled, group: 'webkit' }),
  };
  return Object.fromEntries(Object.entries(answers).map(([name, { body }]) => [name, neutral(body, setting)]));
}
