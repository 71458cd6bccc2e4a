/**
 * Tests that this version can open the data of the first release, and that clients of each release keep working.
 * functions/README.md states the policy.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toArchivedRow } from '#infra/cli/archives/archived-rows.ts';
import { IMPORTABLE } from '#infra/cli/archives/importable-rows.ts';
import { makeRowRecognizer } from '#infra/cli/archives/row-owner.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { getRowKey } from '#shared/engine/table/writes.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { service, storeInFolder } from '#test/harness/service.ts';
import { readOpenApi } from '#test/harness/stage.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { brokenSince, subjectOf } from './broken.ts';
import { interfacesOf, RELEASES, readAll, readAnswers, readJson, releases, unpack } from './released.ts';

const [first = ''] = await releases();

storeInFolder((folder) => unpack(join(RELEASES, first, 'data.tar.gz'), folder));

test('A data folder of the first release can be opened, and each recorded read operation returns the same answer as before', async () => {
  const { services, origin } = await service();
  const { organizationId, world, answers } = await readAnswers(first);
  const newKey = async (level: 'readOnly' | 'readWrite') =>
    (await createApiKey(services, { organizationId, label: 'CI', level, actor: OPERATOR })).value;
  const keys = { readOnly: await newKey('readOnly'), readWrite: await newKey('readWrite') };
  const now = await readAll(origin, { ...world, keys });
  // Later versions may add members, but not change or remove one.
  for (const [operation, answer] of Object.entries(answers))
    expect({ [operation]: now[operation] }).toMatchObject({ [operation]: answer });
});

test('Each row of an organization of the first release may be in an archive, so the organization can move', async () => {
  const { services, environment } = await service();
  const { organizationId } = await readAnswers(first);
  const recognize = await makeRowRecognizer();
  const rows = (await itemsOf(environment, () => true)).map((row) => ({ ...row, ...getRowKey(row) }));
  const own = rows.filter((row) => recognize(row)?.belongsTo(organizationId));
  expect(own.length).toBeGreaterThan(100);
  const refused = own.flatMap((row) => {
    const { type = '' } = recognize(row) ?? {};
    const importable = IMPORTABLE.get(type);
    if (importable?.kind === 'leftOut') return [];
    const problem = importable?.problemIn(
      toArchivedRow(type, row, () => {}),
      services.now(),
    );
    return problem === undefined ? [] : [`${row.pk} ${row.sk} ${problem}`];
  });
  expect(refused).toEqual([]);
});

describe.each(await releases())('Since release %s', (version) => {
  test('everything that clients or deployments depend on is unchanged, or its change is listed in the changelog', async () => {
    const changelog = await readFile(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
    const [later = ''] = changelog.split(`\n## ${version}`);
    const before = await readJson(join(RELEASES, version, 'interfaces.json'));
    const broken = brokenSince(before, await interfacesOf(await readOpenApi()));
    expect(broken.filter((difference) => !later.includes(`\`${subjectOf(difference)}\``))).toEqual([]);
  });
});

const BODY = 'requestBody|content|application/json|schema';
const PATHS = 'openapi|paths';
const SCHEMAS = 'openapi|components|schemas';
const ALTERNATIVES = [{ type: 'string', format: 'date-time' }, { type: 'integer' }, { type: 'null' }];

/** Changes of the first release that break a client: what changes, in which object, and the members that it gets. */
const BREAKING: readonly (readonly [what: string, place: string, members: object])[] = [
  ['an operation gets a required parameter', `${PATHS}|/runs/find|get|parameters|6`, { in: 'query', required: true }],
  ['a parameter becomes required', `${PATHS}|/projects/{projectId}/runs|get|parameters|1`, { required: true }],
  ['a parameter changes its style', `${PATHS}|/webhooks/{hookId}|get|parameters|0`, { style: 'label' }],
  ['a parameter gets a limit', `${PATHS}|/test-results/{signature}|get|parameters|0|schema`, { multipleOf: 3 }],
  ['a body gets a required member', `${PATHS}|/projects/{projectId}|put|${BODY}`, { required: ['name'] }],
  ['a member of a body gets a pattern', `${PATHS}|/webhooks|post|${BODY}|properties|url`, { pattern: '^https:' }],
  [
    'a member of a body may have fewer values',
    `${PATHS}|/webhooks/{hookId}|put|${BODY}|properties|url`,
    { enum: ['a'] },
  ],
  ['a body accepts no unknown members', `${PATHS}|/runs/cancel-ci/github|put|${BODY}`, { additionalProperties: false }],
  ['an operation gets a required body', `${PATHS}|/shares/{shareId}|delete`, { requestBody: { required: true } }],
  ['a schema of requests gets a limit', `${SCHEMAS}|RecordedTestOutcome`, { maxLength: 6 }],
  ['an operation needs another permission', `${PATHS}|/runs/{runId}|get|security|2`, { accessToken: ['a', 'b'] }],
  ['an answer may have another type', `${SCHEMAS}|Action|properties|expiresAfter`, { anyOf: ALTERNATIVES }],
  [
    'an answer may have a value outside its list',
    `${SCHEMAS}|RefusedField|properties|type`,
    { enum: ['text', 'file'] },
  ],
];

describe('A difference between two interfaces', () => {
  test('A change of the first release is reported if it makes a request fail or an answer unexpected', async () => {
    const released = await readJson(join(RELEASES, first, 'interfaces.json'));
    const changedInterfaces = structuredClone(released);
    for (const [, place, members] of BREAKING) {
      let object = changedInterfaces;
      for (const name of place.split('|')) {
        object[name] ??= {};
        object = object[name];
      }
      Object.assign(object, members);
    }
    const lines = brokenSince(released, changedInterfaces);
    const missed = BREAKING.filter(([, place]) => {
      const within = place.split('|').slice(0, 4).join(' › ');
      return !lines.some((line) => line.startsWith(`${within} › `));
    });
    expect(missed.map(([what]) => what)).toEqual([]);
    expect(brokenSince(released, released)).toEqual([]);
  });

  const openapi = {
    components: { securitySchemes: { accessToken: { flows: { authorizationCode: { scopes: { read: 'See it' } } } } } },
    paths: {
      '/runs': {
        get: {
          parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer' } }],
          responses: { 200: { schema: { properties: { title: { type: 'string' } }, required: ['title'] } } },
        },
      },
    },
  };
  const changed = (edit: (copy: typeof openapi) => void) => {
    const copy = structuredClone(openapi);
    edit(copy);
    return brokenSince({ openapi }, { openapi: copy });
  };

  test('A difference is not reported as incompatible if only texts change, or if operations, optional parameters or properties are added', () => {
    const after = changed((copy) => {
      Object.assign(copy.paths, { '/specs': { get: { parameters: [{ in: 'query', name: 'a', required: true }] } } });
      Object.assign(copy.paths['/runs'].get, { description: 'All runs' });
      copy.paths['/runs'].get.parameters.unshift({ in: 'query', name: 'branch', schema: { type: 'string' } });
      Object.assign(copy.paths['/runs'].get.responses[200].schema.properties, { state: { type: 'string' } });
    });
    expect(after).toEqual([]);
  });

  test('A new optional property in one of several alternatives is not reported as incompatible, but a removed property or another type is', () => {
    const either = (properties: Record<string, { type: string }>, type = 'object') => ({
      openapi: {
        schema: {
          anyOf: [
            { type, properties },
            { type: 'null', properties: {} },
          ],
        },
      },
    });
    const before = either({ branch: { type: 'string' } });
    expect(brokenSince(before, either({ branch: { type: 'string' }, tag: { type: 'string' } }))).toEqual([]);
    expect(brokenSince(before, either({}))).toHaveLength(1);
    expect(brokenSince(before, either({ branch: { type: 'string' } }, 'array'))).not.toEqual([]);
  });

  test('A limit that is gone is reported for a response, but not for a request', () => {
    const before = { schema: { type: ['string', 'null'], maxLength: 256 } };
    const after = { schema: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
    const inOperation = <Schema>(part: string, schema: Schema) => ({
      openapi: { paths: { '/a': { post: { [part]: schema } } } },
    });
    const inBoth = (part: string) => brokenSince(inOperation(part, before), inOperation(part, after));
    expect(inBoth('requestBody')).toEqual([]);
    expect(inBoth('responses')).toHaveLength(2);
  });

  test('A scope that is gone is reported, but another description of a scope is not', () => {
    const scopesOf = ({ components }: typeof openapi) =>
      components.securitySchemes.accessToken.flows.authorizationCode.scopes;
    expect(changed((copy) => Object.assign(scopesOf(copy), { read: 'Read it' }))).toEqual([]);
    expect(changed((copy) => Reflect.deleteProperty(scopesOf(copy), 'read'))).toHaveLength(1);
  });

  test.each<[string, (copy: typeof openapi) => void]>([
    ['an operation is gone', ({ paths }) => Reflect.deleteProperty(paths, '/runs')],
    ['a parameter is gone', (copy) => copy.paths['/runs'].get.parameters.pop()],
    [
      'a parameter has another type',
      (copy) => Object.assign(copy.paths['/runs'].get.parameters[0]?.schema ?? {}, { type: 'string' }),
    ],
    [
      'a new parameter is required',
      (copy) =>
        copy.paths['/runs'].get.parameters.push(
          Object.assign({ in: 'query', name: 'a', schema: { type: 'string' } }, { required: true }),
        ),
    ],
    [
      'a property of a response is gone',
      (copy) => Reflect.deleteProperty(copy.paths['/runs'].get.responses[200].schema.properties, 'title'),
    ],
    ['a property of a response may be missing', (copy) => copy.paths['/runs'].get.responses[200].schema.required.pop()],
  ])('A difference is reported with the name of its operation if %s', (_, edit) => {
    const broken = changed(edit);
    expect(broken.length).toBeGreaterThan(0);
    expect(new Set(broken.map(subjectOf))).toEqual(new Set(['GET /runs']));
  });
});
