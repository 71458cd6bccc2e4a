import { ConnectAgentPage } from '#shared/pages/organization/connect-agent-page.tsx';
import { page } from '#shared/platform/page.ts';

export const showConnectAgent = page({
  operationId: 'showConnectAgent',
  route: 'GET /{organizationId}/connect-agent',
  lambda: 'settings',
  needs: 'projects:read',
  access: { table: 'none', artifacts: 'none' },
  show({ visit }, { origin }) {
    const body = <ConnectAgentPage visit={visit} origin={origin} />;
    return { title: 'Connect an agent', tab: 'Connect an agent', body };
  },
});
