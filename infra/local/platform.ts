import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { credentials } from './host/aws-request.ts';
import type { Engines } from './stores/engines.ts';
import { REGION } from './template/physical-ids.ts';

/** Environment variables that Lambda itself sets, plus the endpoints of the engines. */
export function lambdaVariables({
  dynamodbEndpoint,
  s3Endpoint,
  sqsEndpoint,
  kmsEndpoint,
  ssmEndpoint,
}: Omit<Engines, 'close'>): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials();
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    AWS_ENDPOINT_URL_S3: s3Endpoint,
    AWS_ENDPOINT_URL_SQS: sqsEndpoint,
    AWS_ENDPOINT_URL_KMS: kmsEndpoint,
    AWS_ENDPOINT_URL_SSM: ssmEndpoint,
  };
}

/** The variable with the issuer. Set explicitly, because the template may not have this variable. */
export const issuerOf = ({ oauthIssuer }: { readonly oauthIssuer?: string }): Record<string, string> =>
  oauthIssuer ? { [ENVIRONMENT.oauthIssuer]: oauthIssuer } : {};

/**
 * The variable that allows clients on this machine. Set explicitly, because a template for AWS never has this variable.
 */
export const localClientsOf = ({ localClients }: { readonly localClients?: boolean }): Record<string, string> =>
  localClients ? { [ENVIRONMENT.localClients]: 'true' } : {};
