import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadDeclarations, loadFunctions } from '#infra/build/declarations.ts';
import { HEAD_PATHS } from '#infra/build/head-paths.ts';
import { listPageRoutes } from '#infra/build/page-routes.ts';
import { statementsOf } from './policies.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

/**
 * Routes without an authorizer: public documents and health checks, the endpoints of the authorization server, and
 * operations that take the API key from the body. These operations check the key themselves, and refuse requests as
 * §5.4 defines.
 */
const WITHOUT_AUTHORIZER = [
  // The function of the directory checks its tokens itself.
  'DELETE /scim/{path+}',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/openid-configuration',
  'GET /api/auth/oauth2/authorize',
  'GET /api/auth/oauth2/authorize/{uid}',
  'GET /api/auth/oauth2/jwks',
  'GET /health',
  'GET /scim/{path+}',
  'GET /v1/docs/openapi.json',
  'GET /v1/health',
  // The credential of this route is the secret of a share, which the function checks itself.
  'GET /v1/shared',
  'PATCH /scim/{path+}',
  'POST /api/auth/oauth2/register',
  'POST /api/auth/oauth2/revoke',
  'POST /api/auth/oauth2/token',
  'POST /cache/meta',
  'POST /cache/upload',
  'POST /cache/v2/download',
  'POST /scim/{path+}',
  'POST /v1/cache/meta',
  'POST /v1/cache/upload',
  'POST /v1/cache/v2/download',
  // The credential of this route is the identity token of a CI job, which the function checks itself.
  'POST /v1/organizations/{organizationId}/projects/{projectId}/build-credentials',
  'POST /v1/runs',
  'POST /v1/runs/cancel',
  'PUT /scim/{path+}',
];

const Body = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        security: z.array(z.record(z.string(), z.array(z.string()))),
        'x-amazon-apigateway-integration': z.object({ uri: z.unknown(), type: z.string() }),
      }),
    ),
  ),
  components: z.object({ securitySchemes: z.record(z.string(), z.unknown()) }),
});

let prod: Synthesized;
/** Physical names of functions that no HTTP request invokes. */
let backgroundFunctions: string[];
/** The operation ids of the routes of pages. Pages check sessions themselves, so they have no authorizer. */
let pages: string[];
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
  const { pageFunctions, consumers, schedules, streams } = await loadFunctions();
  pages = [
    ...pageFunctions.flatMap((one) => one.pages.map(({ declaration }) => declaration.operationId)),
    ...listPageRoutes(pageFunctions, []).map(({ operationId }) => operationId),
  ];
  backgroundFunctions = [...consumers, ...schedules, ...streams].map(
    ({ declaration }) => `rundown-prod-${declaration.name}`,
  );
});

const routes = () =>
  Object.entries(Body.parse(prod.only('AWS::ApiGateway::RestApi').Properties.Body).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, ...operation })),
  );
const functions = () => prod.all('AWS::Lambda::Function');
const functionsOfApi = () =>
  functions().filter(({ Properties }) => !backgroundFunctions.includes(`${Properties.FunctionName}`));
const functionNamed = (name: string) => functions().find(({ Properties }) => Properties.FunctionName === name);

const actionsOf = (fn: Named) =>
  statementsOf(prod, fn)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action }) => Action);

describe('access to the API:', () => {
  test('every route of the API uses the authorizer, except the routes in the list of this test', () => {
    const open = routes().filter(({ security }) => security.length === 0);
    const api = open.filter(({ operationId }) => !pages.includes(operationId));
    const heads = HEAD_PATHS.map((path) => `HEAD ${path}`);
    expect(
      api
        .map(({ route }) => route)
        .filter((route) => !heads.includes(route))
        .sort(),
    ).toEqual(WITHOUT_AUTHORIZER);
    // HEAD is public exactly where GET is.
    const publicRoutes = open.map(({ route }) => route);
    for (const path of HEAD_PATHS)
      expect(publicRoutes).toEqual(expect.arrayContaining([`GET ${path}`, `HEAD ${path}`]));
  });

  test('the authorizer runs for every request, even without a credential', () => {
    const { securitySchemes } = Body.parse(prod.only('AWS::ApiGateway::RestApi').Properties.Body).components;
    const { caller: scheme, ...others } = securitySchemes;
    expect(others).toEqual({ api_key: { type: 'apiKey', name: 'x-api-key', in: 'header' } });
    expect(scheme).toMatchObject({
      'x-amazon-apigateway-authorizer': { type: 'request', authorizerResultTtlInSeconds: 0 },
    });
    expect(JSON.stringify(scheme)).not.toContain('identitySource');
  });

  test('all routes have the same rate limit, except registrations of applications', () => {
    const Settings = z.array(z.looseObject({ HttpMethod: z.string(), ResourcePath: z.string() }));
    const settings = Settings.parse(prod.only('AWS::ApiGateway::Stage').Properties.MethodSettings);
    expect(settings.map(({ ResourcePath }) => ResourcePath)).toEqual(['/*', '/~1api~1auth~1oauth2~1register']);
    expect(settings[0]).toMatchObject({ ThrottlingRateLimit: 2000, ThrottlingBurstLimit: 4000 });
  });

  test('API Gateway may invoke an endpoint only for its path and method, or for GET and HEAD, and a page for any method, and may not invoke background functions', async () => {
    const permissions = prod.all('AWS::Lambda::Permission').map(({ Properties }) => JSON.stringify(Properties));
    const aliases = (await loadDeclarations()).filter(({ declaration }) => declaration.alias !== undefined);
    expect(permissions).toHaveLength(functionsOfApi().length + aliases.length);
    for (const permission of permissions) {
      expect(permission).toContain('apigateway.amazonaws.com');
      const isPage =
        /\["(assets|authorizationServer|client|companySettings|companySignIn|consent|contexts|docs|importForms|issues|mcp|providerSignIn|receiveForms|runForms|scim|shares|showPages|showSettings|signIn)Function/.test(
          permission,
        );
      if (HEAD_PATHS.some((path) => permission.includes(`"/*/*${path}"`))) continue;
      const source = isPage ? /\/\*\/\*"/ : /\/(\*\/(GET|POST|PUT|DELETE)\/[^"]+|authorizers\/\*)"/;
      expect(permission).toMatch(source);
    }
  });

  test('every route and the authorizer invoke a function of the template', () => {
    const api = JSON.stringify(prod.only('AWS::ApiGateway::RestApi').Properties.Body);
    const named = [...api.matchAll(/:function:([\w-]+)\/invocations/g)].map(([, name = '']) => name);
    expect(new Set(named)).toEqual(new Set(functionsOfApi().map(({ Properties }) => Properties.FunctionName)));
  });
});

describe('least privilege:', () => {
  test('no role has wildcard actions for DynamoDB, S3, SQS, logs, IAM, Lambda or STS', () => {
    const documents = [...prod.all('AWS::IAM::ManagedPolicy'), ...prod.all('AWS::IAM::Role')];
    const actions = JSON.stringify(documents).match(/"(dynamodb|s3|sqs|logs|iam|lambda|sts):[^"]*"/g) ?? [];
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
    expect(actions.length).toBeGreaterThan(functions().length);
  });

  test('the function of an operation has the permissions for the table, files and trackers that it declares, and no others', async () => {
    for (const { declaration } of await loadDeclarations()) {
      const fn = functionNamed(`rundown-prod-${declaration.operationId}`);
      expect(fn, declaration.operationId).toBeDefined();
      if (!fn) continue;
      const actions = actionsOf(fn);
      const writes = actions.filter((action) => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action));
      const reads = actions.filter((action) => /^dynamodb:(Get|BatchGet|Query)/.test(action));
      const { table, artifacts, trackers } = declaration.access;
      expect(writes.length > 0, `${declaration.operationId} writes`).toBe(
        table === 'readWrite' || table === 'readUpdate',
      );
      expect(reads.length > 0, `${declaration.operationId} reads`).toBe(table !== 'none');
      expect(actions.includes('s3:GetObject')).toBe(/^read|^confirm$|^import$|^cacheRead$/.test(artifacts));
      expect(actions.includes('s3:PutObject')).toBe(/write$|^confirm$|^submit$|^import$/i.test(artifacts));
      expect(actions.includes('s3:DeleteObject')).toBe(/^delete$|^confirm$|^import$|^cacheRead$/.test(artifacts));
      expect(
        actions.filter((action) => !/^(dynamodb:|s3:[DGP]|logs:CreateLogStream$|logs:PutLogEvents$)/.test(action)),
      ).toEqual(trackers ? ['ssm:GetParameter'] : []);
    }
  });

  test('only functions that open or measure files may list the bucket (without this permission, S3 reports a missing file with 403)', async () => {
    const { endpoints, consumers, schedules, streams } = await loadFunctions();
    const declared = [
      ...endpoints.map(({ declaration }) => ({ name: declaration.operationId, access: declaration.access })),
      ...[...consumers, ...schedules, ...streams].map(({ declaration: { name, access } }) => ({ name, access })),
    ];
    const opening = declared
      .filter(({ access }) => ['confirm', 'import', 'list'].includes(access.artifacts))
      .map(({ name }) => `rundown-prod-${name}`);
    const listing = functions().filter((fn) => actionsOf(fn).includes('s3:ListBucket'));
    expect(listing.map(({ Properties }) => Properties.FunctionName)).toEqual(opening);
    expect(opening).toContain('rundown-prod-confirmArtifact');
    const bucket = prod.only('AWS::S3::Bucket').id;
    for (const fn of listing) {
      const statements = statementsOf(prod, fn).filter(({ Action }) => Action.includes('s3:ListBucket'));
      // The permission to list is granted on the bucket, because S3 does not grant it on objects.
      expect(statements.map(({ Action, Resource }) => ({ Action, bucket: prod.target(Resource).id }))).toEqual([
        { Action: ['s3:ListBucket'], bucket },
      ]);
      const measures = fn.Properties.FunctionName === 'rundown-prod-measureStorage';
      expect(actionsOf(fn).includes('s3:GetObject')).toBe(!measures);
    }
  });

  test('only functions that send notifications, call issue trackers or sign people in may read the credentials for it, and only in their own deployment', () => {
    const WRITE = ['ssm:DeleteParameter', 'ssm:PutParameter'];
    const users = functions().flatMap((fn) => {
      const statements = statementsOf(prod, fn).filter(({ Action }) => Action.some((one) => one.startsWith('ssm:')));
      return statements.map(({ Action, Resource }) => {
        const [, kind] = /:parameter\/rundown\/prod\/([\w-]+)\/\*"/.exec(JSON.stringify(Resource)) ?? [];
        return `${fn.Properties.FunctionName}`.replace('rundown-prod-', `${Action.sort().join(', ')} of ${kind}: `);
      });
    });
    const reading = ['createIssue', 'createJiraIssue', 'linkIssue', 'linkJiraIssue', 'listIssueTypes'];
    const more = ['listJiraIssueTypes', 'listJiraProjects', 'listTrackerProjects', 'issues', 'mcp', 'trackIssues'];
    expect(users.sort()).toEqual(
      [
        ...[...reading, ...more].map((name) => `ssm:GetParameter of trackers: ${name}`),
        'ssm:GetParameter of providers: companySignIn',
        'ssm:GetParameter of sign-in: providerSignIn',
        `${WRITE.join(', ')} of providers: companySettings`,
        `${WRITE.join(', ')} of providers: removeOrganizations`,
        `${WRITE.join(', ')} of trackers: issues`,
        `${WRITE.join(', ')} of notifications: receiveForms`,
        `${WRITE.join(', ')} of notifications: removeProjects`,
        `${WRITE.join(', ')} of trackers: removeOrganizations`,
        'ssm:GetParameter of notifications: deliverNotification',
      ].sort(),
    );
  });

  test('the authorizer may only read and update rows, and write its log', () => {
    const fn = functionNamed('rundown-prod-authorizer');
    expect(fn && actionsOf(fn).sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
  });

  test('no role may scan the table', () => {
    expect(prod.text()).not.toContain('dynamodb:Scan');
  });
});
