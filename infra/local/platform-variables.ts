/** The environment variables of every function that do not come from the template. */
import { type DeploymentProvider, formatDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { getAwsCredentials } from './host/aws-request.ts';
import type { Endpoints } from './stores/engines.ts';
import { REGION } from './template/physical-ids.ts';

export interface PlatformOptions {
  readonly engines: Endpoints;
  /** An external issuer of access tokens, for a template that names no issuer. */
  readonly oauthIssuer?: string;
  /** Whether metadata documents of OAuth clients may be on this machine. Default: false. */
  readonly localClients?: boolean;
  /** The providers at which people sign in to their own accounts, for a template that names none. */
  readonly signInProviders?: readonly DeploymentProvider[];
  /** The DNS server that is asked for TXT records. Default: those of this machine. */
  readonly dnsServer?: string;
  /** Whether a schedule exports the executions of each day as Parquet. Default: false. */
  readonly dailyExports?: boolean;
}

/** Those that Lambda itself sets, the endpoints of the engines, and the options that are set. */
export function buildPlatformVariables(options: PlatformOptions, eventBusEndpoint: string): Record<string, string> {
  const { engines, oauthIssuer, localClients, dailyExports, signInProviders, dnsServer } = options;
  const { accessKeyId, secretAccessKey, sessionToken } = getAwsCredentials();
  const variables: Record<string, string> = {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    TZ: ':UTC',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodbEndpoint,
    AWS_ENDPOINT_URL_S3: engines.s3Endpoint,
    AWS_ENDPOINT_URL_SQS: engines.sqsEndpoint,
    AWS_ENDPOINT_URL_KMS: engines.kmsEndpoint,
    AWS_ENDPOINT_URL_SSM: engines.ssmEndpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: eventBusEndpoint,
  };
  if (sessionToken) variables['AWS_SESSION_TOKEN'] = sessionToken;
  if (oauthIssuer) variables[ENVIRONMENT.oauthIssuer] = oauthIssuer;
  // A template for AWS never has this variable.
  if (localClients) variables[ENVIRONMENT.localClients] = 'true';
  if (signInProviders) variables[ENVIRONMENT.signInProviders] = formatDeploymentProviders(signInProviders);
  if (dnsServer) variables[ENVIRONMENT.dnsServer] = dnsServer;
  if (dailyExports) variables[ENVIRONMENT.dailyExports] = 'true';
  return variables;
}
