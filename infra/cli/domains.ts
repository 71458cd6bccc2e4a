/** §5 The commands for domains that lead people to the company sign-in of an organization. */

import { listDomains, proveDomain, removeDomain } from '#shared/company-sign-in/domains.ts';
import { command } from './command.ts';
import { organization, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';

const DOMAIN = { organization, domain: textOption('<domain>', 'such as example.com') };

export const DOMAINS = [
  command({
    name: 'domains list',
    does: 'list the domains that an organization has proven',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const domains = await listDomains(services, { organizationId, actor });
      return domains.map(({ domain, provenAt }) => ({ domain, provenAt: formatTimeCell(provenAt) }));
    },
  }),
  command({
    name: 'domains prove',
    does: 'let a domain of addresses lead to the company sign-in of an organization, without a record in DNS',
    options: DOMAIN,
    run: async ({ services, actor }, { organization: organizationId, domain }) => {
      await proveDomain(services, { organizationId, actor, domain }, 'by the operator');
      return [{ domain, state: 'proven' }];
    },
  }),
  command({
    name: 'domains remove',
    does: 'end that, also so that another organization can prove the domain',
    options: DOMAIN,
    run: async ({ services, actor }, { organization: organizationId, domain }) => {
      await removeDomain(services, { organizationId, actor, domain });
      return [{ domain, state: 'removed' }];
    },
  }),
];
