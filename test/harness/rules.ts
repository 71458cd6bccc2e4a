/** Creates rules through the API. */
import type { Tenant } from './service.ts';

export const RULE = {
  name: 'Payment is flaky',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] },
};

export const rulesPath = ({ projectId }: Pick<Tenant, 'projectId'>): string => `/actions?projectId=${projectId}`;

/** Creates a rule like `RULE`, and returns it as the API shows it. `more` replaces members. */
export const createRule = async (tenant: Pick<Tenant, 'api' | 'projectId'>, more: object = {}) =>
  (await tenant.api.post(rulesPath(tenant), { ...RULE, ...more })).body.data;
