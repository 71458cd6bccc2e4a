/** Rules that tests create through the API. */
import type { Tenant } from './service.ts';

export const RULE = {
  name: 'Payment is flaky',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] },
};

export const rulesPath = ({ projectId }: Pick<Tenant, 'projectId'>): string => `/actions?projectId=${projectId}`;

/** Creates `RULE` with other members, and returns it as the API shows it. */
export const createRule = async (tenant: Pick<Tenant, 'api' | 'projectId'>, more: object = {}) =>
  (await tenant.api.post(rulesPath(tenant), { ...RULE, ...more })).body.data;
