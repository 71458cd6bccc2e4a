/**
 * A plain service with Express and PostgreSQL that speaks both recording protocols, to which ours is compared. It runs
 * as a process of its own. It does what a recording needs and no more: it checks the key, validates loosely, and stores
 * runs, spec files, tests, files and counters. Wherever there is a choice, it takes the faster one: no foreign keys,
 * prepared statements, counters per spec file instead of one busy row per run.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { getPort } from '#infra/local/host/loopback.ts';
import { deriveInstanceId, deriveRecordId, deriveRunId, splitRecordId } from '#shared/model/ids.ts';

export const PostgresOptions = z.object({
  databaseUrl: z.string(),
  /** The folder whose `node_modules` contains `pg`. */
  packages: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  recordKey: z.string(),
});

// Express and `pg` are no dependencies of the project, so these types describe only what this file uses.
interface Database {
  query(query: string | { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }>;
}
interface Pool extends Database {
  connect(): Promise<Database & { release(): void }>;
  end(): Promise<void>;
}
interface Request {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}
interface Response {
  status(code: number): Response;
  json(body: object): void;
}
type Handler = (request: Request, response: Response, next: () => void) => unknown;
interface Express {
  (): Record<'get' | 'post' | 'put', (path: string, handler: Handler) => void> & {
    use(handler: Handler): void;
    listen(port: number, host: string): Server;
  };
  json(options: object): Handler;
}

const SCHEMA = 'rundown_bench';
const TABLES = `
  drop schema if exists ${SCHEMA} cascade;
  create schema ${SCHEMA};
  create table keys (hash text primary key, organization_id text not null);
  create table runs (id text primary key, project_id text not null, ci_build_id text not null, body jsonb not null,
    started_at timestamptz not null default now(), ended_at timestamptz, unique (project_id, ci_build_id));
  create table machines (run_id text, id text, ended_at timestamptz, primary key (run_id, id));
  create table batches (run_id text, machine_id text, sequence int, primary key (run_id, machine_id, sequence));
  create table spec_files (id text primary key, run_id text not null, group_id text not null, spec text not null,
    claims int not null default 0, passes int not null default 0, failures int not null default 0,
    flaky int not null default 0);
  create index on spec_files (run_id);
  create table tests (id text primary key, spec_file_id text not null, project_id text not null, test_id text not null,
    title jsonb not null, state text not null, is_flaky boolean not null, message int not null, attempts jsonb not null,
    recorded_at timestamptz not null default now());
  create index on tests (spec_file_id);
  create index history on tests (project_id, test_id, recorded_at);
  create table files (id text primary key, spec_file_id text not null, body jsonb not null)`;

/** Stores the sent tests by `change`, and changes the counters of their spec files by the difference. */
const storing = (change: string): string => `
  with sent as (select * from jsonb_to_recordset($1::jsonb) as t(id text, spec_file_id text, run_id text, test_id text,
      title jsonb, state text, is_flaky boolean, message int, attempts jsonb)),
    old as (select tests.id, tests.state, tests.is_flaky from tests join sent using (id)),
    stored as (${change} returning tests.id, tests.spec_file_id, tests.state, tests.is_flaky),
    counts as (select stored.spec_file_id as id,
        sum((stored.state = 'passed')::int - coalesce(old.state = 'passed', false)::int) as passes,
        sum((stored.state = 'failed')::int - coalesce(old.state = 'failed', false)::int) as failures,
        sum(stored.is_flaky::int - coalesce(old.is_flaky, false)::int) as flaky
      from stored left join old using (id) group by stored.spec_file_id)
  update spec_files set passes = spec_files.passes + counts.passes, failures = spec_files.failures + counts.failures,
    flaky = spec_files.flaky + counts.flaky
  from counts where spec_files.id = counts.id and (counts.passes, counts.failures, counts.flaky) <> (0, 0, 0)`;

const STATEMENTS = {
  addKey: 'insert into keys values ($1, $2)',
  findKey: 'select organization_id from keys where hash = $1',
  startRun: `insert into runs (id, project_id, ci_build_id, body) values ($1, $2, $3, $4) on conflict do nothing`,
  startMachine: 'insert into machines (run_id, id) values ($1, $2) on conflict do nothing',
  announce: `insert into spec_files (id, run_id, group_id, spec)
    select * from jsonb_to_recordset($1::jsonb) as t(id text, run_id text, group_id text, spec text)
    on conflict do nothing`,
  // The rows are locked in the order of their ids, so that concurrent batches cannot deadlock.
  claim: `insert into spec_files (id, run_id, group_id, spec, claims)
    select *, 1 from jsonb_to_recordset($1::jsonb) as t(id text, run_id text, group_id text, spec text) order by id
    on conflict (id) do update set claims = spec_files.claims + 1 returning claims`,
  // Messages about tests of one spec file wait for each other, so that counters change by the right difference.
  lock: 'select 1 from spec_files where id = $1 for update',
  insertTests:
    storing(`insert into tests (id, spec_file_id, project_id, test_id, title, state, is_flaky, message, attempts)
    select sent.id, spec_file_id, project_id, test_id, title, state, is_flaky, message, attempts
    from sent join runs on runs.id = sent.run_id
    on conflict (id) do update set state = excluded.state, is_flaky = excluded.is_flaky, message = excluded.message,
      attempts = excluded.attempts where tests.message <= excluded.message`),
  updateTest: storing(`update tests set state = sent.state, is_flaky = sent.is_flaky, message = sent.message,
    attempts = sent.attempts from sent where tests.id = sent.id and tests.message <= sent.message`),
  addBatch: 'insert into batches values ($1, $2, $3) on conflict do nothing returning sequence',
  addFiles: `insert into files select * from jsonb_to_recordset($1::jsonb) as t(id text, spec_file_id text, body jsonb)
    on conflict do nothing`,
  endMachine: `update machines set ended_at = now() where run_id = $1 and id = $2
    and $3 = (select count(*) from batches where run_id = $1 and machine_id = $2) returning id`,
  endRun: `update runs set ended_at = now() where id = $1
    and not exists (select from machines where run_id = $1 and ended_at is null)`,
  countTests: `select
      (select count(*)::int from tests join spec_files on spec_files.id = spec_file_id
        where run_id = runs.id and state <> 'running') as overall,
      (select sum(passes)::int from spec_files where run_id = runs.id) as passes,
      (select sum(failures)::int from spec_files where run_id = runs.id) as failures
    from runs where project_id = $1 and ci_build_id = $2`,
  readHistory: `select tests.id, tests.title, tests.state, tests.is_flaky, tests.attempts, tests.recorded_at,
      spec_files.spec, spec_files.group_id, runs.id as run_id, runs.ci_build_id, runs.body -> 'commit' as commit
    from tests join spec_files on spec_files.id = tests.spec_file_id join runs on runs.id = spec_files.run_id
    where tests.project_id = $1 and test_id = $2 order by tests.recorded_at desc limit 11`,
} as const;

const execute = (database: Database, name: keyof typeof STATEMENTS, ...values: unknown[]) =>
  database.query({ name, text: STATEMENTS[name], values });

async function inTransaction<Result>(pool: Pool, act: (database: Database) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await act(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const Attempts = z.array(z.looseObject({ errors: z.array(z.looseObject({ message: z.string() })) }));
const Message = z.object({ _t: z.int(), _s: z.string(), _d: z.boolean(), _f: z.boolean(), attempts: Attempts });
const Named = z.object({ testId: z.string(), title: z.array(z.string()) });
const FirstMessage = Message.extend({ ...Named.shape, runId: z.string(), instanceId: z.string() });
const Group = z.object({ name: z.string(), tests: z.array(z.object({ testId: z.string(), spec: z.string() })) });
const Started = z
  .looseObject({ machineId: z.string(), ciBuildId: z.string(), fullTestSuite: z.array(Group), groups: z.array(Group) })
  .partial({ fullTestSuite: true, groups: true });
const Place = z.object({ groupId: z.string(), spec: z.string() });
const Batch = z.object({
  machineId: z.string(),
  sequence: z.int(),
  instances: z.array(
    Place.extend({
      tests: z.array(Named.extend({ state: z.string(), isFlaky: z.boolean(), attempts: Attempts })),
    }),
  ),
});
const SentFile = z.looseObject({ name: z.string(), artifactId: z.string().optional(), sha256: z.string().optional() });
const Files = z.object({ files: z.array(SentFile.extend(Place.shape)) });
const Ended = z.object({ machineId: z.string(), batches: z.int() });

/** The members of a test that change. Like Rundown, omits steps and output if a test passed on its first attempt. */
function resultOf(state: string, isFlaky: boolean, attempts: z.output<typeof Attempts>) {
  const isPlain = attempts.length === 1 && state === 'passed';
  const kept = isPlain ? attempts.map(({ steps, stdout, stderr, ...attempt }) => attempt) : attempts;
  return { state, is_flaky: isFlaky, attempts: kept };
}
const resultOfMessage = ({ _t, _s, _d, _f, attempts }: z.output<typeof Message>) => ({
  ...resultOf(_d ? _s : 'running', _f, attempts),
  message: _t,
});

const specFileOf = (runId: string, { groupId, spec }: z.output<typeof Place>) => ({
  id: deriveInstanceId({ runId, groupId, spec }),
  run_id: runId,
  group_id: groupId,
  spec,
});

const uploadUrlOf = (id: string): string => {
  const path = `/uploads/${id}?expires=${Date.now() + 3_600_000}`;
  return `${path}&signature=${createHmac('sha256', 'secret').update(path).digest('hex')}`;
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function serve(setup: z.output<typeof PostgresOptions>) {
  const { databaseUrl, packages, organizationId, projectId, recordKey } = setup;
  const express: Express = createRequire(import.meta.url)('express');
  const pg: { Pool: new (options: object) => Pool } = createRequire(join(packages, 'package.json'))('pg');
  const options = `-c search_path=${SCHEMA} -c synchronous_commit=on -c client_min_messages=warning`;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 8, options });
  await pool.query(TABLES);
  await execute(pool, 'addKey', hashOf(`Bearer ${recordKey}`), organizationId);

  const app = express();
  app.use(express.json({ limit: '8mb' }));
  app.use(async ({ headers }, response, next) => {
    const { rows } = await execute(pool, 'findKey', hashOf(headers['authorization'] ?? ''));
    if (rows.length > 0) next();
    else response.status(401).json({ error: 'The key is unknown' });
  });
  const on = (method: 'get' | 'post' | 'put', path: string, answer: (request: Request) => Promise<object>) =>
    app[method](path, async (request, response) => response.json(await answer(request)));

  async function start({ body: sent }: Request) {
    const body = Started.parse(sent);
    const { ciBuildId, machineId, fullTestSuite = [], groups = fullTestSuite } = body;
    const runId = deriveRunId({ organizationId, projectId, ciBuildId });
    const places = groups.flatMap(({ name: groupId, tests }) => tests.map(({ spec }) => ({ groupId, spec })));
    const specFiles = new Map(places.map((place) => specFileOf(runId, place)).map((row) => [row.id, row] as const));
    await inTransaction(pool, async (database) => {
      await execute(database, 'startRun', runId, projectId, ciBuildId, JSON.stringify(body));
      await execute(database, 'startMachine', runId, machineId);
      await execute(database, 'announce', JSON.stringify([...specFiles.values()]));
    });
    return { runId, machineId, ciBuildId };
  }
  on('post', '/runs/v1', start);
  on('post', '/v1/projects/:projectId/recordings', async (request) => ({ data: await start(request) }));
  on('post', '/runs/:runId/pw/instances/v1', async ({ params: { runId = '' }, body }) => {
    const row = specFileOf(runId, Place.parse(body));
    const { rows } = await execute(pool, 'claim', JSON.stringify([row]));
    return { instanceId: row.id, ...z.object({ claims: z.int() }).parse(rows[0]) };
  });
  const store = (change: 'insertTests' | 'updateTest', specFile: string | undefined, test: object) =>
    inTransaction(pool, async (database) => {
      await execute(database, 'lock', specFile);
      await execute(database, change, JSON.stringify([test]));
    });
  on('post', '/test-record', async ({ body }) => {
    const { runId, instanceId, testId, title, ...message } = FirstMessage.parse(body);
    const recordId = deriveRecordId({ instanceId, testId });
    const named = { id: recordId, spec_file_id: instanceId, run_id: runId, test_id: testId, title };
    await store('insertTests', instanceId, { ...named, ...resultOfMessage(message) });
    return { recordId };
  });
  on('put', '/test-record/:recordId', async ({ params: { recordId = '' }, body }) => {
    const specFile = splitRecordId(recordId)?.instanceId;
    await store('updateTest', specFile, { id: recordId, ...resultOfMessage(Message.parse(body)) });
    return { recordId };
  });
  const addFiles = async (files: readonly { specFile: string | undefined; body: z.output<typeof SentFile> }[]) => {
    const rows = files.map(({ specFile, body }) => {
      const id = hashOf(`${specFile} ${body.name} ${body.artifactId ?? body.sha256}`);
      return { id, spec_file_id: specFile, body };
    });
    await execute(pool, 'addFiles', JSON.stringify(rows));
    return rows.map(({ id }) => ({ uploadUrl: uploadUrlOf(id) }));
  };
  on('post', '/artifacts/:kind/:id', async ({ params: { kind, id = '' }, body }) => {
    const specFile = kind === 'instance' ? id : splitRecordId(id)?.instanceId;
    const [link = {}] = await addFiles([{ specFile, body: SentFile.parse(body) }]);
    return link;
  });
  on('post', '/v1/recordings/:runId/batches', async ({ params: { runId = '' }, body }) => {
    const { machineId, sequence, instances } = Batch.parse(body);
    const specFiles = instances.map((place) => specFileOf(runId, place));
    const tests = instances.flatMap((place) => {
      const { id: instanceId } = specFileOf(runId, place);
      return place.tests.map(({ testId, title, state, isFlaky, attempts }) => {
        const id = deriveRecordId({ instanceId, testId });
        const named = { id, spec_file_id: instanceId, run_id: runId, test_id: testId, title };
        return { ...named, ...resultOf(state, isFlaky, attempts), message: 0 };
      });
    });
    return inTransaction(pool, async (database) => {
      const { rows } = await execute(database, 'addBatch', runId, machineId, sequence);
      if (rows.length > 0) {
        await execute(database, 'claim', JSON.stringify(specFiles));
        await execute(database, 'insertTests', JSON.stringify(tests));
      }
      return { data: { sequence } };
    });
  });
  on('post', '/v1/recordings/:runId/files', async ({ params: { runId = '' }, body }) => {
    const files = Files.parse(body).files.map((file) => ({ specFile: specFileOf(runId, file).id, body: file }));
    return { data: { files: await addFiles(files) } };
  });
  on('post', '/v1/recordings/:runId/end', async ({ params: { runId = '' }, body }) => {
    const { machineId, batches } = Ended.parse(body);
    return inTransaction(pool, async (database) => {
      const { rows } = await execute(database, 'endMachine', runId, machineId, batches);
      if (rows.length > 0) await execute(database, 'endRun', runId);
      return { data: { runHasEnded: rows.length > 0 } };
    });
  });
  on('get', '/v1/runs/find', async ({ query }) => {
    const { ciBuildId } = z.object({ ciBuildId: z.string() }).parse(query);
    const { rows } = await execute(pool, 'countTests', projectId, ciBuildId);
    return { data: { groups: rows.map((tests) => ({ tests })) } };
  });

  on('get', '/v1/test-results/:testId', async ({ params: { testId } }) => {
    const { rows } = await execute(pool, 'readHistory', projectId, testId);
    return { data: rows.slice(0, 10), hasMore: rows.length > 10 };
  });

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${getPort(server)}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await pool.query(`drop schema ${SCHEMA} cascade`);
      await pool.end();
    },
  };
}

if (import.meta.main) {
  const lines = createInterface(process.stdin);
  const [line] = z.tuple([z.string()]).parse(await once(lines, 'line'));
  const { origin, close } = await serve(PostgresOptions.parse(JSON.parse(line)));
  process.stdout.write(`${origin}\n`);
  // The input closes when the parent process ends, even if it crashes, so the tables are always removed.
  await once(lines, 'close');
  await close();
}
