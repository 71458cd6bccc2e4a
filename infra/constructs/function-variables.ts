import {
  deriveDefaultLimits,
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatSignInPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import { formatRetention } from '#shared/model/runs/retention.ts';
import { formatDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { formatUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { Access } from '#shared/platform/access.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { Outlet } from '#shared/platform/outlets.ts';
import type { Surroundings } from './surroundings.ts';

export interface FunctionVariablesProps extends Surroundings {
  readonly access: Access;
  readonly sends?: readonly Outlet[] | undefined;
  /** Environment variables of this function alone. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The environment variables of a function. It gets the names of those stores only that its declaration mentions. */
export function buildFunctionVariables(props: FunctionVariablesProps): Record<string, string> {
  const { environment, access, data, settings } = props;
  const variables: Record<string, string> = {
    [ENVIRONMENT.tableName]: data.table.tableName,
    [ENVIRONMENT.artifactsBucket]: data.artifacts.bucketName,
    [ENVIRONMENT.publicOrigin]: props.publicOrigin,
    [ENVIRONMENT.retention]: formatRetention(environment.retention),
    [ENVIRONMENT.limits]: formatUsageLimits(deriveDefaultLimits(environment)),
  };
  if (settings.oauthIssuer !== undefined) variables[ENVIRONMENT.oauthIssuer] = settings.oauthIssuer;
  if (settings.privateWebhooks) variables[ENVIRONMENT.privateReceivers] = 'network';
  if (access.secrets) variables[ENVIRONMENT.secretsPrefix] = formatSecretsPrefix(environment);
  if (access.trackers) variables[ENVIRONMENT.trackersPrefix] = formatTrackersPrefix(environment);
  if (access.providers) variables[ENVIRONMENT.providersPrefix] = formatProvidersPrefix(environment);
  if (access.signInSecrets) variables[ENVIRONMENT.signInPrefix] = formatSignInPrefix(environment);
  if (settings.signInProviders.length > 0)
    variables[ENVIRONMENT.signInProviders] = formatDeploymentProviders(settings.signInProviders);
  if (settings.kmsKey && storesSecrets(access)) variables[ENVIRONMENT.secretsKey] = settings.kmsKey;
  if (access.trackers && settings.trackerNetwork) variables[ENVIRONMENT.trackerNetwork] = settings.trackerNetwork;
  if (access.artifacts === 'exportWrite' && settings.dailyExports) variables[ENVIRONMENT.dailyExports] = 'true';
  return { ...variables, ...data.outlets.listVariables(props.sends ?? []), ...props.variables };
}

const storesSecrets = ({ secrets, trackers, providers }: Access): boolean =>
  secrets === 'write' || providers === 'write' || (trackers !== undefined && trackers !== 'read');
