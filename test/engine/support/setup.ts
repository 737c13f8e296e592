import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// n8n-core reads both on its first import. A fresh folder keeps test files apart.
process.env.N8N_USER_FOLDER = mkdtempSync(path.join(tmpdir(), 'price-collection-engine-'));
process.env.N8N_ENCRYPTION_KEY = 'only-for-tests';
process.env.N8N_LOG_LEVEL = 'silent';

// Pauses of the nodes take no time.
jest.mock('../../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./virtualClock'));
