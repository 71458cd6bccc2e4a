import { test } from '@playwright/test';

test('reads order', () => {});
test('writes order', () => {});
