import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySessionStore } from '@anthropic-ai/claude-agent-sdk';
import { sessionStoreConformance } from '../../test/support/storeConformance.js';
import { PruningSessionStore } from './pruningSessionStore.js';
import { SqliteSessionStore } from './sqliteSessionStore.js';
import { TrimmingSessionStore } from './trimmingSessionStore.js';

const root = mkdtempSync(join(tmpdir(), 'flower-conformance-'));
let n = 0;
const file = () => join(root, `${++n}`, 'sessions.db');

sessionStoreConformance('SQLite', () => new SqliteSessionStore(file()));
sessionStoreConformance('SQLite in memory', () => new SqliteSessionStore(':memory:'));
sessionStoreConformance('Trimming over SQLite', () => new TrimmingSessionStore(file(), root));
sessionStoreConformance('Pruning over SQLite', () => new PruningSessionStore(file(), root));
sessionStoreConformance('Trimming over memory', () => new TrimmingSessionStore(new InMemorySessionStore(), root));
sessionStoreConformance('Pruning over memory', () => new PruningSessionStore(new InMemorySessionStore(), root));
sessionStoreConformance(
  'Pruning over Trimming over SQLite',
  () => new PruningSessionStore(new TrimmingSessionStore(file(), root), root),
);
