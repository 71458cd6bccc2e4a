/** The sharing settings of the organization in a settings file. */
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { changeSharing, getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import type { GivenSharing, Placed } from './document.ts';
import { differing, type Fields, fieldChanges, isEmpty, type Step, unchanged } from './plan.ts';

const DAYS: readonly number[] = [0, ...SHARE_LIMITS.days];

export const sharingFields = (organization: Organization): Fields => ({ ...getSharingSettings(organization) });

export function planSharing(organization: Organization, { given, path, problems }: Placed<GivenSharing>): Step[] {
  const current = getSharingSettings(organization);
  const changed = differing(given, { ...current });
  if (isEmpty(changed)) return [];
  if (given.shareDays !== undefined && !DAYS.includes(given.shareDays))
    problems.add([...path, 'shareDays'], `must be one of ${DAYS.join(', ')}. 0 forbids shares`);
  const { shareDays = current.shareDays, aiMayRead = current.aiMayRead } = given;
  const expects = unchanged(organizations, organization, ['shareDays', 'aiMayRead']);
  return [
    {
      verb: 'change',
      kind: 'sharing',
      name: organization.name,
      fields: fieldChanges(changed, { ...current }),
      run: (services, { organizationId, actor }) =>
        changeSharing(services, { organizationId, actor, expects, settings: { shareDays, aiMayRead } }),
    },
  ];
}
