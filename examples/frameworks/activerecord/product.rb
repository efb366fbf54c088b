class CreateProduct < ActiveRecord::Migration[6.0]
  def change
    create_table :product do |t|
      t.text :category
      t.text :brand
      t.float :price
      t.boolean :in_stock, default: true
    end
  end
end
