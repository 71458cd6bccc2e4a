/** The stores of a deployment for commands that read or write everything that an organization has. */
import {
  type Environment,
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { Bucket } from './archives/bucket.ts';
import { makeRowRecognizer } from './archives/row-owner.ts';
import { Pace, TableScan } from './archives/table-scan.ts';
import type { CommandContext } from './command.ts';
import { getBucketName } from './files.ts';
import { numberOption, optional, textOption } from './options.ts';
import { refuseForeignStores } from './stack-outputs.ts';
import { openCredentialStores } from './store.ts';
import { UsageError } from './terminal/usage-error.ts';

const DEFAULT_UNITS = 1000;

export const STORE_OPTIONS = {
  bucket: optional(textOption('<name>', 'stack output ArtifactsBucket; needed with --table')),
  units: optional(
    numberOption(
      `capacity units that the command may use per second, ${DEFAULT_UNITS} by default, so that it leaves enough for the service`,
    ),
  ),
};

export interface StoreOptions {
  readonly bucket?: string | undefined;
  readonly units?: number | undefined;
}

/** Refuses a bucket of another deployment. */
export async function openDeploymentStores(context: CommandContext, options: StoreOptions) {
  const { units = DEFAULT_UNITS } = options;
  if (units < 1) throw new UsageError('--units must be at least 1');
  const { environment, isDeployed } = context;
  const bucket = getBucketName(context, options.bucket);
  const table = environment[ENVIRONMENT.tableName];
  const name = isDeployed ? await refuseForeignStores({ table, bucket }) : undefined;
  const pace = new Pace(units);
  const prefixes = name === undefined ? {} : formatCredentialPrefixes(name);
  return {
    services: context.services,
    bucket: new Bucket(bucket),
    pace,
    scan: new TableScan(table ?? '', pace),
    recognize: await makeRowRecognizer(),
    credentials: await openCredentialStores(context, prefixes),
  };
}

const formatCredentialPrefixes = (name: Environment['name']) => ({
  secrets: formatSecretsPrefix({ name }),
  trackers: formatTrackersPrefix({ name }),
  providers: formatProvidersPrefix({ name }),
});

export const findOrganization = async (
  { services }: CommandContext,
  organizationId: string,
): Promise<Organization | undefined> => services.table.get(organizations, { organizationId }, { consistent: true });
