/** The headers by which a gateway can tell which tool an MCP request calls. */
import { type HeaderValues, listHeaderValues } from './request-credential.ts';

/** From this version of the protocol, requests name their tool in a header, and clients ask for missing permissions. */
const FIRST_VERSION = '2026-07-28';

/** The name of the tool, if the client can ask a person for more permissions. The function checks the body anyway. */
export function findCalledTool(headers: HeaderValues): string | undefined {
  const [version = ''] = listHeaderValues(headers, 'mcp-protocol-version');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version < FIRST_VERSION) return undefined;
  const [method] = listHeaderValues(headers, 'mcp-method');
  const [name] = listHeaderValues(headers, 'mcp-name');
  return method === 'tools/call' ? name : undefined;
}
