/**
 * Path parameters of pages and forms have the types of their schemas, so that the compiler reports an enumerated value
 * that a handler does not handle.
 */
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { form, page } from '#shared/platform/page.ts';

const access = { table: 'read', artifacts: 'none' } as const;
const kind = z.enum(['github', 'slack']);

test('An enumerated path parameter of a page or form is typed as its allowed values', () => {
  const shown = page({
    operationId: 'show',
    needs: 'projects:write',
    access,
    path: { kind },
    route: 'GET /{organizationId}/{projectId}/notifications/{kind}/{other}',
    show: ({ path }) => {
      expectTypeOf(path.kind).toEqualTypeOf<'github' | 'slack'>();
      expectTypeOf(path.other).toEqualTypeOf<string>();
      return redirect(path.kind);
    },
  });
  const submitted = form({
    operationId: 'submit',
    needs: 'projects:write',
    access,
    path: { kind, hookId: id },
    page: 'show',
    route: 'POST /{organizationId}/{projectId}/notifications/{kind}/{hookId}',
    fields: z.object({}),
    submit: ({ path }) => {
      expectTypeOf(path.kind).toEqualTypeOf<'github' | 'slack'>();
      expectTypeOf(path.hookId).toEqualTypeOf<string>();
      return redirect(path.kind);
    },
  });
  for (const { declaration } of [shown, submitted])
    expect(declaration.pathParameters.safeParse({ kind: 'teams', hookId: 'a' }).success).toBe(false);
});
