/** The outputs of a deployed stack, which name its resources. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { UsageError } from './usage-error.ts';

const Outputs = z.object({
  RecordUrl: z.string(),
  StageArn: z.string(),
  TableName: z.string(),
  ArtifactsBucket: z.string(),
  SecretsPrefix: z.string(),
  TrackersPrefix: z.string(),
});

/** Reads the outputs of the stack of an environment: dev, staging or prod. Throws if the stack does not exist. */
export async function outputsOf(environment: string): Promise<z.infer<typeof Outputs>> {
  const StackName = `Rundown-${environment}`;
  const { Stacks = [] } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks.flatMap(({ Outputs: all = [] }) => all);
  return Outputs.parse(Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])));
}

/**
 * Returns the name of the environment. Throws unless one stack uses both this table and this bucket. With the table of
 * another stack, every object of the bucket would seem to have no row.
 */
export async function refuseForeignStores(given: {
  readonly table: string | undefined;
  readonly bucket: string;
}): Promise<'dev' | 'staging' | 'prod'> {
  const environment = (['dev', 'staging', 'prod'] as const).find((name) => given.bucket.startsWith(`rundown-${name}-`));
  if (environment === undefined)
    throw new UsageError(
      `--bucket ${given.bucket} is not the bucket of a Rundown stack. Pass the output ArtifactsBucket of the stack`,
    );
  const { TableName, ArtifactsBucket } = await outputsOf(environment);
  if (TableName === given.table && ArtifactsBucket === given.bucket) return environment;
  throw new UsageError(
    `The stack Rundown-${environment} uses the table ${TableName} and the bucket ${ArtifactsBucket}. Pass these names as --table and --bucket`,
  );
}
