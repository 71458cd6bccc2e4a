/** The columns of exported files: their values, their types, and their description in the guide for analysts. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { COLUMNS, type Column } from '#shared/analytics/exports/columns.ts';
import { EXPORT_LIMITS } from '#shared/analytics/exports/limits.ts';
import { composeDatedId, deriveSignature } from '#shared/model/ids.ts';
import { describeWithDuckdb, duckdb } from '#test/harness/duckdb.ts';
import { exportFolder, exportTo } from '#test/harness/exports.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, error, failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { service } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

/** Records a run with these tests, and exports it. `executions` is the SQL expression for the exported rows. */
async function exported(tests: Parameters<typeof recordRun>[1][string]['tests'], more: object = {}) {
  const stage = await service();
  const { runId } = await recordRun(stage, { retail: { tests } }, { ciBuildId: 'build 7', ...more });
  const { executions } = await exportTo(await exportFolder(), stage);
  return { ...stage, runId, executions };
}

const TYPES: Readonly<Record<Column['kind'], { readonly duckdb: string; readonly athena: string }>> = {
  text: { duckdb: 'VARCHAR', athena: 'string' },
  integer: { duckdb: 'BIGINT', athena: 'bigint' },
  time: { duckdb: 'TIMESTAMP', athena: 'timestamp' },
  flag: { duckdb: 'BOOLEAN', athena: 'boolean' },
  texts: { duckdb: 'VARCHAR[]', athena: 'array<string>' },
};

describeWithDuckdb('An exported execution', () => {
  test('An exported execution has the run, its commit, the test, its attempts and its error, in typed columns', async () => {
    const here = await exported({
      [`${SPEC} > cart > sums`]: flaky({
        tags: ['@smoke'],
        attempts: [attempt('failed'), attempt('passed', { attempt: 1 })],
      }),
    });
    const { organizationId, projectId, runId, executions } = here;
    const title = ['cart', 'sums'];
    const [row] = await duckdb(`select * exclude (day, project) from ${executions}`);
    expect(row).toMatchObject({
      organization_id: organizationId,
      project_id: projectId,
      run_id: runId,
      build_id: 'build 7',
      run_created_at: new Date('2026-11-02T10:00:00.000Z'),
      run_status: 'PASSED',
      run_completion: 'COMPLETE',
      branch: 'main',
      commit_sha: '1560994359f3ef0cf70b4c8d9cccab5c25b9da90',
      author_name: 'Alex Doe',
      author_email: 'alex.doe@example.com',
      pull_request: null,
      group_id: 'retail',
      os_name: 'linux',
      spec_file: SPEC,
      signature: deriveSignature({ organizationId, projectId, spec: SPEC, title }),
      title: 'cart > sums',
      outcome: 'passed',
      expected_status: 'passed',
      flaky: true,
      quarantined: false,
      attempts: 2,
      retries: 1,
      duration_ms: 200,
      started_at: new Date('2026-11-02T09:59:00.000Z'),
      ended_at: new Date('2026-11-02T09:59:00.100Z'),
      error_message: 'Error: expected 2, received 3',
      error_category: expect.any(String),
      error_signature: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(row?.['machine_id']).toEqual(expect.any(String));
    // DuckDB reads an id of digits alone in a path as a number.
    const lists = await duckdb(
      `select title_path = ['cart', 'sums'] as path, tags = ['@smoke'] as tags, day::varchar as day, project::varchar as project from ${executions}`,
    );
    expect(lists).toEqual([{ path: true, tags: true, day: '2026-11-02', project: projectId }]);
    const described = await duckdb(`describe select * exclude (day, project) from ${executions}`);
    expect(described.map((column) => [column['column_name'], column['column_type']])).toEqual(
      COLUMNS.map(({ name, kind }) => [name, TYPES[kind].duckdb]),
    );
  });

  test('Secrets in exported error messages are masked before long messages are cut, and terminal colors are left out', async () => {
    const beginning = 'x '.repeat(EXPORT_LIMITS.messageCharacters / 2 - 20);
    const { executions } = await exported({
      [`${SPEC} > one`]: failed({
        attempts: [attempt('failed', { errors: [error(`Error: \u001b[31mtoken\u001b[39m ${TOKEN} refused`)] })],
      }),
      [`${SPEC} > two`]: failed({
        attempts: [attempt('failed', { errors: [error(`Error: ${beginning} ${TOKEN} refused`)] })],
      }),
    });
    const rows = await duckdb(
      `select title, error_message, length(error_message) as length from ${executions} order by title`,
    );
    expect(rows[0]?.['error_message']).toBe('Error: token [masked: GitHub token] refused');
    expect(JSON.stringify(rows)).not.toContain('ghp_');
    expect(rows[1]?.['length']).toBeLessThanOrEqual(EXPORT_LIMITS.messageCharacters);
    const texts = COLUMNS.map(({ name }) => `${name}::varchar`).join(` || ' ' || `);
    expect(JSON.stringify(await duckdb(`select ${texts} as all_texts from ${executions}`))).not.toContain('ghp_');
  });

  test('Text with special characters is exported as valid Unicode, an unknown or implausible duration is null, and a quarantined test is marked', async () => {
    const odd = ['a\u0000b', 'half of a pair \ud800', 'emoji \u{1f600}', 'quote \' and " and \\', 'line\nbreak'];
    const { executions, projectId } = await exported({
      [`${SPEC} > ${odd[2]}`]: passed({ tags: odd, attempts: [attempt('passed', { duration: 1e15 })] }),
      [`${SPEC} > interrupted`]: failed({ attempts: [attempt('interrupted')] }),
      [`${SPEC} > quarantined`]: failed({
        annotations: marksOf({
          actionId: composeDatedId({ projectId: 'abc123', createdAt: 1, random: '0000000' }),
          type: 'quarantine',
        }),
      }),
    });
    const rows = await duckdb(
      `select title, duration_ms, quarantined, len(tags) as tags from ${executions} order by title`,
    );
    expect(rows).toEqual([
      { title: odd[2], duration_ms: null, quarantined: false, tags: odd.length },
      { title: 'interrupted', duration_ms: null, quarantined: false, tags: 0 },
      { title: 'quarantined', duration_ms: expect.any(Number), quarantined: true, tags: 0 },
    ]);
    const tags = await duckdb(`select unnest(tags) as tag from ${executions} where title = '${odd[2]}'`);
    expect(tags.map(({ tag }) => tag)).toEqual(odd.map((text) => text.toWellFormed()));
    expect(projectId).toMatch(/^\w+$/);
  });
});

describeWithDuckdb('The guide for analysts', () => {
  test('The SQL view and queries in the guide for analysts return the expected rows for exported files', async () => {
    const stage = await service();
    const tests = { [`${SPEC} > one`]: failed(), [`${SPEC} > two`]: failed(), [`${SPEC} > three`]: flaky() };
    for (let build = 0; build < 7; build += 1)
      await recordRun(stage, { retail: { tests } }, { ciBuildId: `build ${build}` });
    const folder = await exportFolder();
    await exportTo(folder, stage);
    const [view = '', ...questions] = sqlIn(await readFile(GUIDE, 'utf8')).filter((sql) => !sql.includes('EXTERNAL'));
    await duckdb(view.replace('exports/<organization id>', `${folder}/${stage.organizationId}`));
    const answers = [];
    for (const question of questions) answers.push(await duckdb(question.replace('>= 20', '>= 3')));
    expect(answers).toEqual([
      [{ spec_file: SPEC, flaky: 7, minutes: expect.any(Number) }],
      Array.from({ length: 7 }, () => ({ machine_id: expect.any(String), executions: 3, failure_rate: 2 / 3 })),
      [expect.objectContaining({ runs: 7 })],
    ]);
  });
});

const GUIDE = 'functions/README.md';
const sqlIn = (guide: string): string[] => [...guide.matchAll(/```sql\n([^`]*)```/g)].map(([, sql = '']) => sql);

test('The guide for analysts defines the Athena table with exactly the columns of the exported files', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const [, columns = ''] = /CREATE EXTERNAL TABLE executions \(\n([^)]*)\n\)/.exec(guide) ?? [];
  const listed = columns.split(',').map((column) => column.trim());
  expect(listed).toEqual(COLUMNS.map(({ name, kind }) => `${name} ${TYPES[kind].athena}`));
});
