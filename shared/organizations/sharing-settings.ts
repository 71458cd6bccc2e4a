/** §5.3, §7 How long results may be shared with outsiders, and whether AI tools may read failures. */
import { aiConsentRequired } from '#shared/access/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, update } from '#shared/engine/table/writes.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import type { OrganizationRequest } from './standing.ts';

export type SharingSettings = Required<Pick<Organization, 'shareDays' | 'aiMayRead'>>;

const LONGEST_SHARE_DAYS = 7;

export const getSharingSettings = ({
  shareDays = LONGEST_SHARE_DAYS,
  aiMayRead = true,
}: Pick<Organization, 'shareDays' | 'aiMayRead'>): SharingSettings => ({ shareDays, aiMayRead });

export async function changeSharing(
  services: CoreServices,
  { settings, ...request }: OrganizationRequest & { readonly settings: SharingSettings },
): Promise<void> {
  await changeOrganization(services, { ...request, action: 'organizations:change' }, ({ organization }) => {
    const currentSettings = getSharingSettings(organization);
    const changes: string[] = [];
    if (currentSettings.shareDays !== settings.shareDays)
      changes.push(`shares: ${formatShareDays(currentSettings)} to ${formatShareDays(settings)}`);
    if (currentSettings.aiMayRead !== settings.aiMayRead)
      changes.push(`AI tools ${settings.aiMayRead ? 'may' : 'may not'} read failures`);
    if (changes.length === 0) return { result: undefined };
    return {
      result: undefined,
      writes: [update(organizations, organization, { set: toAssignments(settings) }, PRESENT)],
      record: {
        action: 'organization changed',
        subject: organization.organizationId,
        label: organization.name,
        detail: changes.join('; '),
      },
    };
  });
}

function formatShareDays({ shareDays }: SharingSettings): string {
  if (shareDays === 0) return 'off';
  return shareDays === 1 ? '1 day' : `${shareDays} days`;
}

/** §7 Throws 403 if the organization does not allow AI tools to read its failures. */
export async function requireAiConsent(
  { table }: WithTable,
  { organizationId }: Pick<Organization, 'organizationId'>,
): Promise<void> {
  const organization = await table.get(organizations, { organizationId });
  if (organization) refuseAi(getSharingSettings(organization));
}

/** §7 Throws the same error as `requireAiConsent`, for callers that have already read the settings. */
export function refuseAi({ aiMayRead }: Pick<SharingSettings, 'aiMayRead'>): void {
  if (!aiMayRead) throw aiConsentRequired();
}
