/** The sharing settings of the organization in a settings file. */

import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { changeSharing, getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import type { FileSection, GivenSharing } from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import { type Fields, isEmpty, listFieldChanges, pickDifferences } from './fields.ts';
import type { Step } from './plan.ts';

const DAYS: readonly number[] = [0, ...SHARE_LIMITS.days];

export const toSharingFields = (organization: Organization): Fields => ({ ...getSharingSettings(organization) });

export function planSharing(organization: Organization, { given, path, problems }: FileSection<GivenSharing>): Step[] {
  const currentSettings = getSharingSettings(organization);
  const changedFields = pickDifferences(given, { ...currentSettings });
  if (isEmpty(changedFields)) return [];
  if (given.shareDays !== undefined && !DAYS.includes(given.shareDays))
    problems.add([...path, 'shareDays'], `must be one of ${DAYS.join(', ')}. 0 forbids shares`);
  const { shareDays = currentSettings.shareDays, aiMayRead = currentSettings.aiMayRead } = given;
  const expects = expectUnchanged(organizations, organization, ['shareDays', 'aiMayRead']);
  return [
    {
      verb: 'change',
      kind: 'sharing',
      name: organization.name,
      fields: listFieldChanges(changedFields, { ...currentSettings }),
      run: (services, { organizationId, actor }) =>
        changeSharing(services, { organizationId, actor, expects, settings: { shareDays, aiMayRead } }),
    },
  ];
}
