/** The paths that answer HEAD (platform/head.ts): what is public, the same for everybody and without an effect, such as a count of views. */
export const HEAD_PATHS: readonly string[] = [
  '/',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/openid-configuration',
  '/assets/{path+}',
  '/badges/{file}',
  '/client/{path+}',
  '/docs',
  '/docs/{page+}',
  '/health',
  '/v1/docs/openapi.json',
  '/v1/health',
];
