import type { DataTableColumnType, DataTableFilter, DataTableProxyProvider } from 'n8n-workflow';

import type { Held, Row } from './oracle';

type Stored = Record<string, unknown>;

const MODULE = '../../install/n8n/node_modules/n8n/dist/modules/data-table';

/** An object of one of n8n's classes, with these parts instead of those from n8n's container. */
function made(file: string, name: string, parts: object): object {
	const classes = jest.requireActual<Record<string, { prototype: object }>>(`${MODULE}/${file}`);
	return Object.assign(Object.create(classes[name]?.prototype ?? null) as object, parts);
}

/**
 * A data table in n8n's own code, which decides which values a column takes and how it changes them. Only its three SQL
 * statements are simulated, on rows in memory.
 */
export class Table {
	readonly dataTables: DataTableProxyProvider;
	private readonly rows: Stored[] = [];

	constructor(
		private types: Readonly<Record<string, DataTableColumnType>>,
		rows: readonly Row[],
	) {
		this.dataTables = this.provider();
		for (const row of rows) this.insert(row);
	}

	held(): Held {
		const columns = Object.keys(this.types);
		const rows = this.rows.map((row) =>
			Object.fromEntries(columns.map((column) => [column, row[column] as Row[string]])),
		);
		return { columns, rows };
	}

	rename(column: string, to: string): void {
		const renamed = <T>(object: Readonly<Record<string, T>>) =>
			Object.fromEntries(
				Object.entries(object).map(([name, value]) => [name === column ? to : name, value]),
			);
		this.types = renamed(this.types);
		this.rows.splice(0, Infinity, ...this.rows.map(renamed));
	}

	private insert(data: Stored): Stored {
		const nulls = Object.keys(this.types).map((column) => [column, null] as const);
		const row = { ...Object.fromEntries(nulls), id: this.rows.length + 1, createdAt: new Date() };
		this.rows.push(row);
		return this.set(row, data);
	}

	private set(row: Stored, data: Stored): Stored {
		for (const [column, value] of Object.entries(data))
			if (this.types[column] === 'string' && value !== null && typeof value !== 'string')
				// n8n passes it to the database, and each database makes another text of it.
				throw new Error(`${column} is a column for texts and got ${String(value)}`);
		return Object.assign(row, data, { updatedAt: new Date() });
	}

	private update(data: Stored, { filters }: DataTableFilter): Stored[] {
		if (filters.some(({ condition }) => condition !== 'eq')) throw new Error('Only eq is played here');
		return this.rows
			.filter((row) => filters.every(({ columnName, value }) => row[columnName] === value))
			.map((row) => this.set(row, data));
	}

	/** What n8n gives to its nodes: its own services, which find only this table. */
	private provider(): DataTableProxyProvider {
		const columns = () =>
			Object.entries(this.types).map(([name, type], index) => ({ name, type, index }));
		const dataTableService = made('data-table.service.js', 'DataTableService', {
			validateDataTableExists: async () => {},
			validateDataTableSize: async () => {},
			dataTableSizeValidator: { reset: () => {} },
			dataTableRepository: { touchUpdatedAt: async () => {} },
			dataTableColumnRepository: {
				getColumns: async () => columns(),
				manager: { transaction: async (act: () => Promise<unknown>) => await act() },
			},
			dataTableRowsRepository: {
				getManyAndCount: async () => ({ count: this.rows.length, data: this.rows }),
				updateRows: async (_id: string, data: Stored, filter: DataTableFilter) =>
					this.update(data, filter),
				insertRows: async (_id: string, rows: Stored[]) => rows.map((row) => this.insert(row)),
			},
		});
		return made('data-table-proxy.service.js', 'DataTableProxyService', {
			dataTableService,
			ownershipService: { getWorkflowProjectCached: async () => ({ id: 'project' }) },
		}) as DataTableProxyProvider;
	}
}
