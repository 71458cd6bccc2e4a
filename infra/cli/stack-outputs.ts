/** The outputs of a deployed stack, which name its resources. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { UsageError } from './terminal/usage-error.ts';

/** Only outputs that release 0.2.0 has, because commands such as `npm run restore` also meet stacks of earlier releases. */
const Outputs = z.object({
  RecordUrl: z.string(),
  StageArn: z.string(),
  TableName: z.string(),
  ArtifactsBucket: z.string(),
  SecretsPrefix: z.string(),
  TrackersPrefix: z.string(),
});

/** Reads the outputs of the stack of an environment: dev, staging or prod. Throws if the stack does not exist. */
export async function readStackOutputs(environment: string): Promise<z.infer<typeof Outputs>> {
  const StackName = `Rundown-${environment}`;
  const { Stacks = [] } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks.flatMap(({ Outputs: all = [] }) => all);
  return Outputs.parse(Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])));
}

/** Returns the environment. With the table of another stack, every object of the bucket would seem to have no row. */
export async function refuseForeignStores(stores: {
  readonly table: string | undefined;
  readonly bucket: string;
}): Promise<'dev' | 'staging' | 'prod'> {
  const environment = (['dev', 'staging', 'prod'] as const).find((name) =>
    stores.bucket.startsWith(`rundown-${name}-`),
  );
  if (environment === undefined)
    throw new UsageError(
      `--bucket ${stores.bucket} is not the bucket of a Rundown stack. Pass the output ArtifactsBucket of the stack`,
    );
  const { TableName, ArtifactsBucket } = await readStackOutputs(environment);
  if (TableName === stores.table && ArtifactsBucket === stores.bucket) return environment;
  throw new UsageError(
    `The stack Rundown-${environment} uses the table ${TableName} and the bucket ${ArtifactsBucket}. Pass these names as --table and --bucket`,
  );
}
