import { organizations } from '#shared/model/organizations/organization.ts';
import type { UsageLimitsSetting } from '#shared/model/usage/usage-limits.ts';
import type { Tenant, TestService } from './service.ts';

/** Stores the limits directly, because operators may not set limits so low that tests reach them with few requests. */
export const storeLimits = (
  { services, organizationId }: Pick<TestService & Tenant, 'services' | 'organizationId'>,
  limits: UsageLimitsSetting,
): Promise<unknown> => services.table.update(organizations, { organizationId }, { set: [['limits', limits]] });
