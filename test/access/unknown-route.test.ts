import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { handler } from '#functions/authorizer.ts';

test('The authorizer fails on a route that it does not know, instead of allowing it', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('BUILT_ROUTES', {});
  const event = { httpMethod: 'GET', resource: '/v1/new' } as APIGatewayRequestAuthorizerEvent;
  await expect(handler(event)).rejects.toThrow(
    'Route GET /v1/new is unknown to the authorizer. Rebuild and deploy the authorizer',
  );
});
