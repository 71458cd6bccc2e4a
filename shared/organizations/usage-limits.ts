/** The limits that an operator sets for an organization. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { LEAST_LIMITS, type UsageLimits, type UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import type { OrganizationRequest } from './standing.ts';

/** `default` stands for the limit of the environment. `undefined` changes nothing. */
export type UsageLimitsChange = { readonly [Name in keyof UsageLimits]?: number | 'default' | undefined };

const NAMES = ['requestsPerMonth', 'keyRequestsPerMinute', 'storedBytes'] as const satisfies (keyof UsageLimits)[];

const TEXTS: Readonly<Record<keyof UsageLimits, string>> = {
  requestsPerMonth: 'requests per month',
  keyRequestsPerMinute: 'requests per key and minute',
  storedBytes: 'stored bytes',
};

export function changeUsageLimits(
  services: CoreServices,
  { change, ...request }: OrganizationRequest & { readonly change: UsageLimitsChange },
): Promise<UsageLimitsSetting> {
  for (const name of NAMES) refuseTooLow(name, change[name]);
  return changeOrganization(services, { ...request, action: 'organizations:limit' }, ({ organization }) => {
    const { organizationId, name: label, limits: before = {} } = organization;
    const limits: UsageLimitsSetting = Object.fromEntries(
      NAMES.flatMap((name) => {
        const value = change[name] ?? before[name];
        return value === undefined || value === 'default' ? [] : [[name, value]];
      }),
    );
    const changedNames = NAMES.filter((name) => limits[name] !== before[name]);
    if (changedNames.length === 0) return { result: limits };
    const text = (value: number | undefined) => value?.toLocaleString('en') ?? 'default';
    const detail = changedNames
      .map((name) => `${TEXTS[name]}: ${text(before[name])} to ${text(limits[name])}`)
      .join('; ');
    return {
      result: limits,
      writes: [
        update(organizations, organization, { set: [['limits', limits]] }, expectSameValues(organization, 'limits')),
      ],
      record: { action: 'limits changed', subject: organizationId, label, detail },
    };
  });
}

function refuseTooLow(name: keyof UsageLimits, value: number | 'default' | undefined): void {
  const least = LEAST_LIMITS[name];
  if (value === undefined || value === 'default' || (Number.isSafeInteger(value) && value >= least)) return;
  throw invalidRequest(`The limit of ${TEXTS[name]} must be a whole number of at least ${least}, or default`);
}
