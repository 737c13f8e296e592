/** Words that a shop might use, with the letters and signs that break careless readers. */

export const BRANDS = [
	'Bosch',
	'Kärcher',
	'Łucznik',
	'De’Longhi',
	'Séb & Fils',
	'Ørsted',
	'象印',
	'ACME "Pro"',
	'Braun',
];

export const ARTICLES = [
	'Akkuschrauber 18 V – 2 × 4,0 Ah',
	'Dampfreiniger SC 3 EasyFix',
	'Crème-brûlée torch, Ø 8 mm',
	'Żelazko parowe „Para”',
	'電気ケトル 1.2 L',
	'Coffee grinder <compact>',
	'Hand mixer & bowl',
	'USB-C cable 2 m / 6′',
	'Sæbedispenser ½ liter ☕',
	'Łyżka stołowa 0012',
];

export const SHOPS = [
	{ name: 'Müller & Söhne', domain: 'mueller-soehne.example' },
	{ name: 'Tech’s Corner', domain: 'techs-corner.example' },
	{ name: 'ElectroŻak', domain: 'electrozak.example' },
	{ name: 'BuyMore "24"', domain: 'buymore24.example' },
	{ name: 'Les Étoiles', domain: 'les-etoiles.example' },
	{ name: '価格ストア', domain: 'kakaku-store.example' },
	{ name: 'Null & Void Ltd.', domain: 'null-void.example' },
];

export const CONDITIONS = [
	{ text: 'New', code: 'new' },
	{ text: 'New – open box', code: 'open_box' },
	{ text: 'Used – very good', code: 'used' },
	{ text: 'Generalüberholt', code: 'refurbished' },
];

export const CATEGORIES = [
	['Home & Garden', 'Kitchen', 'Small appliances'],
	['Baumarkt', 'Werkzeug', 'Akkuwerkzeug'],
	['Électronique', 'Accessoires', 'Câbles'],
];

export const SENTENCES = [
	'Works as described.',
	'Leider nach zwei Wochen defekt – schade!',
	'Très bon rapport qualité / prix.',
	'5 > 4, and "cheap" < expensive & loud.',
	'とても良いです。',
	'Fits in the cupboard;\nthe lid could be tighter.',
];

/** Text with everything that an encoder can get wrong, but nothing that XML forbids. */
export const AWKWARD = '<b>&amp; "quoted" \'single\' ]]> 🧪 e\u0301 \u200f\u05e9 Ω\u00a0end\ttab\nline';
