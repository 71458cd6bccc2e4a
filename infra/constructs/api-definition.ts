import { Aws } from 'aws-cdk-lib';
import type { Declaration } from '#shared/declaration.ts';
import type { Environment } from '../environments.ts';
import { physicalName } from './rundown-function.ts';

/** Bodies arrive base64-encoded with their `Content-Encoding` intact, and the functions' gzip leaves as it is. */
export const BINARY_MEDIA_TYPES = ['*/*'];
const AUTHORIZER = 'caller';
/** A function that takes longer is cut off by its own time-out first, so that its log says so. */
const INTEGRATION_TIMEOUT_MILLISECONDS = 29_000;

/**
 * The API as OpenAPI 3.0 with API Gateway's extensions: all routes are one resource. What callers read is another
 * document, made by infra/openapi.ts from the same declarations.
 */
export function apiDefinition(environment: Environment, declarations: readonly Declaration[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const declaration of declarations) {
    paths[declaration.path] = {
      ...paths[declaration.path],
      [declaration.method.toLowerCase()]: operation(environment, declaration),
    };
  }
  return {
    openapi: '3.0.1',
    info: { title: `rundown-${environment.name}`, version: '1' },
    'x-amazon-apigateway-binary-media-types': BINARY_MEDIA_TYPES,
    components: { securitySchemes: { [AUTHORIZER]: authorizer(environment) } },
    paths,
  };
}

const operation = (environment: Environment, { operationId, credential }: Declaration): object => ({
  operationId,
  security: credential === 'header' ? [{ [AUTHORIZER]: [] }] : [],
  responses: {},
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: invocationUri(physicalName(environment, operationId)),
    timeoutInMillis: INTEGRATION_TIMEOUT_MILLISECONDS,
  },
});

/** §5.2 Revocation holds at once, so nothing is cached; without an identity source it also sees requests without a key. */
const authorizer = (environment: Environment): object => ({
  type: 'apiKey',
  name: 'Unused',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    authorizerUri: invocationUri(physicalName(environment, 'authorizer')),
    authorizerResultTtlInSeconds: 0,
  },
});

/** By name, not by reference: functions depend on the API for their origin, so the API cannot depend on functions. */
const invocationUri = (functionName: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/` +
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName}/invocations`;
