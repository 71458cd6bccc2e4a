/** The outputs of the stack, with which people and commands find what was deployed. */
import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatSignInPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';

interface DeployedAddresses {
  /** The address of the service, without a slash at its end. */
  readonly publicOrigin: string;
  readonly stageArn: string;
  readonly domainTarget: string | undefined;
  readonly data: DataStack;
}

export function addOutputs(
  scope: Construct,
  { publicOrigin, stageArn, domainTarget, data: { table, artifacts } }: DeployedAddresses,
  { domain, environment }: Settings,
): void {
  const outputs: Record<string, { readonly value: string; readonly description: string }> = {
    BaseUrl: { value: `${publicOrigin}/v1`, description: 'Base address of the REST API' },
    McpUrl: { value: `${publicOrigin}/mcp`, description: 'The MCP server for agents' },
    DashboardUrl: { value: publicOrigin, description: 'The pages for people' },
    RecordUrl: { value: publicOrigin, description: 'Base address for reporters (CURRENTS_API_URL)' },
    StageArn: { value: stageArn, description: 'Stage of the API, to attach a web ACL from another stack' },
    TableName: { value: table.tableName, description: 'The single table' },
    SecretsPrefix: {
      value: formatSecretsPrefix(environment),
      description: 'Path of the parameters with notification credentials',
    },
    TrackersPrefix: {
      value: formatTrackersPrefix(environment),
      description: 'Path of the parameters with credentials of issue trackers',
    },
    ProvidersPrefix: {
      value: formatProvidersPrefix(environment),
      description: "Path of the parameters with client secrets of companies' identity providers",
    },
    SignInPrefix: {
      value: formatSignInPrefix(environment),
      description: "Path of the parameters with client secrets of this deployment's own providers",
    },
    ArtifactsBucket: { value: artifacts.bucketName, description: 'Screenshots, videos, traces and logs of tests' },
  };
  if (domain && domainTarget && domain.hostedZoneId === undefined)
    outputs['DomainTarget'] = {
      value: domainTarget,
      description: `Target for the CNAME record of ${domain.domainName}`,
    };
  for (const [name, output] of Object.entries(outputs)) new CfnOutput(scope, name, output);
}
